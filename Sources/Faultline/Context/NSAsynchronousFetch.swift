import Foundation

/// A fetch that does not keep its context busy while the store is read.
///
/// Execute it with `NSManagedObjectContext.execute(_:)`, which returns at once. The completion
/// block runs later, in the context's queue.
open class NSAsynchronousFetchRequest<ResultType>: NSPersistentStoreRequest {
  /// What is fetched.
  public let fetchRequest: NSFetchRequest<ResultType>
  /// Who gets the result.
  public let completionBlock: ((NSAsynchronousFetchResult<ResultType>) -> Void)?
  /// How many results are expected, for the progress; a hint.
  open var estimatedResultCount = 0

  /// Makes an asynchronous request of a request.
  public init(
    fetchRequest: NSFetchRequest<ResultType>,
    completionBlock: ((NSAsynchronousFetchResult<ResultType>) -> Void)? = nil
  ) {
    self.fetchRequest = fetchRequest
    self.completionBlock = completionBlock
    super.init()
  }
}

/// What a request that takes its time will result in.
///
///     running ──finish──▶ finished
///        └────cancel────▶ cancelled ──finish──▶ finished, with an error
///
/// Its properties are set and read in the context's queue; `cancel` may be called anywhere.
open class NSPersistentStoreAsynchronousResult: NSPersistentStoreResult {
  /// The context that executes the request.
  public let managedObjectContext: NSManagedObjectContext
  /// Why there is no result.
  public fileprivate(set) var operationError: (any Error)?
  /// The progress, if one was current when the request was executed; cancelling it cancels the
  /// request.
  public let progress: Progress?
  private let isCancelled = Lock(false)

  fileprivate init(_ context: NSManagedObjectContext, expecting count: Int) {
    managedObjectContext = context
    progress =
      Progress.current() == nil ? nil : Progress(totalUnitCount: Int64(Swift.max(1, count)))
    super.init()
  }

  /// Gives the request up: unless it has finished, it ends with `CocoaError.userCancelled`.
  open func cancel() { isCancelled.withLock { $0 = true } }

  /// Throws if the request was cancelled.
  func checkCancellation() throws {
    if isCancelled.withLock({ $0 }) || progress?.isCancelled == true {
      throw CocoaError(.userCancelled)
    }
  }
}

/// What an asynchronous fetch will result in.
open class NSAsynchronousFetchResult<ResultType>: NSPersistentStoreAsynchronousResult {
  /// The request.
  public let fetchRequest: NSAsynchronousFetchRequest<ResultType>
  /// What was found; nil until then, and after an error.
  public private(set) var finalResult: [ResultType]?

  init(_ request: NSAsynchronousFetchRequest<ResultType>, _ context: NSManagedObjectContext) {
    fetchRequest = request
    super.init(context, expecting: request.estimatedResultCount)
  }

  /// Takes the outcome, in the context's queue, and calls the completion block.
  func finish(_ outcome: Result<[ResultType], any Error>) {
    switch outcome {
    case .success(let found): finalResult = found
    case .failure(let error): operationError = error
    }
    if let progress, operationError == nil { progress.completedUnitCount = progress.totalUnitCount }
    fetchRequest.completionBlock?(self)
  }
}

/// A request of any result type that fetches.
protocol FetchingRequest: NSPersistentStoreRequest {
  /// Executes the request in a context; the result may be complete only later.
  func execute(in context: NSManagedObjectContext) throws -> NSPersistentStoreResult
  /// Fetches and waits for it; an array.
  func found(in context: NSManagedObjectContext) throws -> Any
}

extension NSFetchRequest: FetchingRequest {
  func execute(in context: NSManagedObjectContext) throws -> NSPersistentStoreResult {
    let result = NSAsynchronousFetchResult(NSAsynchronousFetchRequest(fetchRequest: self), context)
    result.finish(.success(try context.fetch(self)))
    return result
  }

  func found(in context: NSManagedObjectContext) throws -> Any { try context.fetch(self) }
}

extension NSAsynchronousFetchRequest: FetchingRequest {
  /// 1. What is wrong with the request stops here, on the caller's thread.
  /// 2. The parent store is asked on a queue of this request alone.
  /// 3. In the context's queue rows become objects, and unsaved changes as they are then play
  ///    their part.
  func execute(in context: NSManagedObjectContext) throws -> NSPersistentStoreResult {
    Scheduling.reach(.fetch, fetchRequest.entityName ?? "")
    let parent = context.parentStore(for: "an asynchronous fetch")
    let result = NSAsynchronousFetchResult(self, context)
    var asked = context.question(fetchRequest)  // 1
    asked.plan.predicate = asked.plan.predicate?.namingRecords()
    let question = UncheckedBox(asked)
    let shared = UncheckedBox((parent: parent, result: result))
    SerialQueue(label: "asynchronous fetch", kind: .private).async {
      let answer = UncheckedBox(
        Result {  // 2
          try shared.value.result.checkCancellation()
          return try question.value.ask(shared.value.parent)
        })
      context.perform {
        let (parent, result) = shared.value
        result.finish(
          Result {  // 3
            try result.checkCancellation()
            let answer = try answer.value.get()
            let isSame = parent === context.parentStore(for: "an asynchronous fetch")
            return try context.results(of: question.value, known: isSame ? answer : nil)
          })
      }
    }
    return result
  }

  func found(in context: NSManagedObjectContext) throws -> Any { try context.fetch(fetchRequest) }
}
