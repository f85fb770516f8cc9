import CoreData
import Foundation
import Testing

/// What the checker of the queue rule stops, and what it says (section G).
@Suite struct CheckerStops {
  @Test(
    "B5, G3, G4, G5, L18: each use of a context or object outside its queue stops",
    arguments: Trespass.allCases)
  func eachUseOutsideTheQueueStops(_ trespass: Trespass) async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) { [trespass] in
      switchCheckerOn()
      mustStop {
        let scene = try CheckedScene()
        nowStops()
        try trespass.commit(scene)
      }
    }
    #expect(reachedTheMistake(result))
    #expect(says(result, "concurrency violation"))
  }

  @Test("B7, G6, L18: what is legal outside a queue is left alone", arguments: Liberty.allCases)
  func whatIsLegalOutsideAQueueIsLeftAlone(_ liberty: Liberty) async {
    await #expect(processExitsWith: .success) { [liberty] in
      switchCheckerOn()
      try liberty.take(CheckedScene())
    }
  }

  @Test("G1, G2: the launch argument switches the checker on and is acknowledged")
  func theLaunchArgumentSwitchesTheCheckerOn() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      unsetenv("FAULTLINE_CONCURRENCY_DEBUG")
      UserDefaults.standard.setVolatileDomain(
        ["com.apple.CoreData.ConcurrencyDebug": "1"], forName: UserDefaults.argumentDomain)
      mustStop {
        let scene = try CheckedScene()
        nowStops()
        _ = scene.author.name
      }
    }
    #expect(reachedTheMistake(result))
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("multi-threading assertions enabled"))
  }

  @Test("G4: a violation cannot be caught as an error")
  func aViolationCannotBeCaught() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent, \.standardOutputContent]
    ) {
      switchCheckerOn()
      let scene = try CheckedScene()
      do {
        nowStops()
        _ = try scene.context.fetch(NSFetchRequest<Author>(entityName: "Author"))
      } catch { exit(0) }
      exit(0)
    }
    #expect(reachedTheMistake(result))
  }

  @Test("G3: the main queue's context stops on any other thread")
  func theMainContextStopsOnAnotherThread() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      switchCheckerOn()
      mustStop {
        let container = try openThrowawayContainer()
        let request = NSFetchRequest<Author>(entityName: "Author")
        nowStops()
        _ = try container.viewContext.fetch(request)
      }
    }
    #expect(reachedTheMistake(result))
    #expect(says(result, "main queue"))
  }

  @Test("G7: without the switch nothing is checked")
  func withoutTheSwitchNothingIsChecked() async {
    await #expect(processExitsWith: .success) {
      unsetenv("FAULTLINE_CONCURRENCY_DEBUG")
      let scene = try CheckedScene()
      scene.author.name = "off its queue"
      _ = try scene.context.fetch(NSFetchRequest<Author>(entityName: "Author"))
      try scene.context.save()
    }
  }

  @Test("G8: an object of another context whose queue the thread holds too is not caught")
  func anObjectWhoseQueueTheThreadHoldsIsNotCaught() async {
    await #expect(processExitsWith: .success) {
      switchCheckerOn()
      let scene = try CheckedScene()
      let other = scene.container.newBackgroundContext()
      scene.context.performAndWait {
        other.performAndWait { scene.author.name = "inside another context's block" }
      }
    }
  }

  @Test("G11: a thread that runs performAndWait is inside the queue")
  func aThreadThatRunsPerformAndWaitIsInside() async {
    await #expect(processExitsWith: .success) {
      switchCheckerOn()
      let scene = try CheckedScene()
      scene.context.performAndWait {
        scene.author.name = "on the caller's thread"
        scene.context.performAndWait { _ = scene.author.drafts.count }
      }
    }
  }

  @Test("G11: after performAndWait the same thread is outside again")
  func afterPerformAndWaitTheThreadIsOutside() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      switchCheckerOn()
      mustStop {
        let scene = try CheckedScene()
        scene.context.performAndWait { scene.author.name = "inside" }
        nowStops()
        scene.author.name = "outside"
      }
    }
    #expect(reachedTheMistake(result))
  }

  @Test("G5: inside another context's block an object is outside its own queue")
  func insideAnotherContextsBlockAnObjectIsOutside() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      switchCheckerOn()
      mustStop {
        let scene = try CheckedScene()
        let other = scene.container.newBackgroundContext()
        other.performAndWait {
          nowStops()
          _ = scene.author.name
        }
      }
    }
    #expect(reachedTheMistake(result))
  }

  @Test("G13: a serial queue of one's own is not the context's queue")
  func aSerialQueueOfOnesOwnDoesNotCount() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      switchCheckerOn()
      mustStop {
        let scene = try CheckedScene()
        DispatchQueue(label: "my own").sync {
          nowStops()
          scene.author.name = "serial, and wrong"
        }
      }
    }
    #expect(reachedTheMistake(result))
  }

  @Test("G15, H14: an actor is not the context's queue")
  func anActorDoesNotCount() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      switchCheckerOn()
      let container = try openThrowawayContainer()
      let possessor = Possessor(container.newBackgroundContext())
      try await possessor.insertAuthor()
    }
    #expect(reachedTheMistake(result))
  }

  @Test("G16, K14: the report names object, context, both queues and the way out")
  func theReportNamesEverything() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      switchCheckerOn()
      mustStop {
        let scene = try CheckedScene()
        scene.context.name = "importer"
        let other = scene.container.newBackgroundContext()
        other.name = "exporter"
        other.performAndWait {
          nowStops()
          scene.author.name = "from the wrong queue"
        }
      }
    }
    for words in [
      "set name", "x-coredata://", "/Author/p1", "importer", "exporter", "perform", "objectID",
    ] {
      #expect(says(result, words), "\(words)")
    }
  }

  @Test("G16: a mode that records lets the program go on")
  func theRecordingModeLetsTheProgramGoOn() async {
    await #expect(processExitsWith: .success) {
      setenv("FAULTLINE_CONCURRENCY_DEBUG", "record", 1)
      let scene = try CheckedScene()
      scene.author.name = "off its queue"
      try scene.context.save()
    }
  }
}

/// Switches the checker on; call it before anything else of Core Data's.
func switchCheckerOn() { setenv("FAULTLINE_CONCURRENCY_DEBUG", "1", 1) }

/// An actor that owns a context and believes that this is enough.
private actor Possessor {
  private let context: NSManagedObjectContext

  init(_ context: NSManagedObjectContext) { self.context = context }

  /// Uses the context on the actor's executor.
  func insertAuthor() throws {
    nowStops()
    _ = Author(context: context)
    try context.save()
  }
}
