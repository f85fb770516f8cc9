/// One thing that a program does; records go by number, and who does not know them skips the step.
enum Step {
  case insert(String, Int)
  case set(Int, String, PaperValue)
  case link(Int, String, Int)
  case unlink(Int, String, Int)
  case delete(Int)
  case save(PaperPolicy, tells: Int?)
  case merge(from: Int)
  case refresh(Int, merges: Bool)
  case refreshAll
  case rollback
  case reset
  case fetch(String, named: String?, asFaults: Bool)
  case find(Int)
  case fire(Int)
  case load(Int, String)
  case obtain(Int)
  case process
  case look
}

/// A step and the context that takes it.
struct Move: CustomStringConvertible {
  /// The context: 0, 1 and 2 save into the store, 3 into 0, and 4 into 0 or 3.
  let context: Int
  /// What is done.
  let step: Step

  var description: String {
    let text =
      switch step {
      case .insert(let entity, let record): "inserts \(entity) \(record)"
      case .set(let record, let name, let value): "sets \(record).\(name) = \(value)"
      case .link(let record, let name, let other): "links \(record).\(name) to \(other)"
      case .unlink(let record, let name, let other): "unlinks \(record).\(name) from \(other)"
      case .delete(let record): "deletes \(record)"
      case .save(let policy, let other):
        "saves with the policy \(policy)" + (other.map { ", which context \($0) merges" } ?? "")
      case .merge(let other): "merges the last save of context \(other)"
      case .refresh(let record, let merges): "refreshes \(record), merging: \(merges)"
      case .refreshAll: "refreshes all objects"
      case .rollback: "rolls back"
      case .reset: "resets"
      case .fetch(let entity, let name, let asFaults):
        "fetches every \(entity)\(name.map { " named \($0)" } ?? "")"
          + (asFaults ? " as faults" : "")
      case .find(let record): "finds \(record)"
      case .fire(let record): "fires \(record)"
      case .load(let record, let name): "loads \(record).\(name)"
      case .obtain(let record): "obtains the permanent id of \(record)"
      case .process: "processes pending changes"
      case .look: "everybody looks at everything that is loaded"
      }
    return "context \(context) \(text)"
  }
}

/// What two engines are to do alike.
struct Program {
  /// Where it comes from.
  let seed: Int
  /// Whether context 4 is a grandchild, by way of 3, or a sibling of 3.
  let isNested: Bool
  /// Whether relationships are looked at after every move or only now and then.
  let looksAlways: Bool
  /// What is done, in order.
  var moves: [Move]

  /// The program that belongs to the seed: up to 200 moves.
  init(seed: Int) {
    var writer = ProgramWriter(seed: seed)
    self.seed = seed
    isNested = writer.number(below: 2) == 0
    looksAlways = writer.number(below: 3) == 0
    moves = writer.moves()
  }

  /// The context that a context saves into, if it is a child.
  func parent(of context: Int) -> Int? {
    switch context {
    case 3: 0
    case 4: isNested ? 3 : 0
    default: nil
    }
  }

  /// Whether a context can make anything of what another one saved: ids of children's inserts
  /// mean something only below the same parent.
  func mayMerge(_ saver: Int, into receiver: Int) -> Bool {
    if saver == receiver || parent(of: saver) == receiver { return false }
    return parent(of: saver) == nil || parent(of: saver) == parent(of: receiver)
  }
}

/// Makes up programs.
private struct ProgramWriter {
  private var random: SeededGenerator
  private var records: [(number: Int, entity: PaperEntity)] = []

  init(seed: Int) { random = SeededGenerator(seed: seed) }

  mutating func number(below bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }

  private mutating func pick<T>(_ from: [T]) -> T { from[number(below: from.count)] }

  /// Everybody knows a few records at first; then anything may happen.
  mutating func moves() -> [Move] {
    var result: [Move] = []
    let length = 20 + number(below: 181)
    for entity in ["Author", "Author", "Article", "Article", "Tag", "Draft", "Profile", "Contract"]
    {
      result += insert(entity, 0)
    }
    result.append(Move(context: 0, step: .save(.error, tells: nil)))
    while result.count < length {
      // Two of the five do most, so that they meet.
      let context = number(below: 3) == 0 ? number(below: 5) : pick([0, 1])
      result += number(below: 16) == 0 ? scene() : move(context)
    }
    return Array(result.prefix(200))
  }

  private mutating func insert(_ entity: String, _ context: Int) -> [Move] {
    let record = (number: records.count, entity: PaperEntity.named(entity))
    records.append(record)
    var steps: [Step] = [.insert(entity, record.number)]
    if record.entity.label != "amount", number(below: 12) > 0 {
      steps.append(.set(record.number, record.entity.label, .text("v\(number(below: 9))")))
    }
    if number(below: 3) > 0 || entity == "Invoice", let link = link(from: record) {
      steps.append(link)
    }
    return steps.map { Move(context: context, step: $0) }
  }

  private mutating func link(from record: (number: Int, entity: PaperEntity)) -> Step? {
    let relation = pick(record.entity.relations)
    let others = records.filter { $0.entity.isKind(of: relation.destination) }
    if others.isEmpty { return nil }
    return .link(record.number, relation.name, pick(others).number)
  }

  private mutating func move(_ context: Int) -> [Move] {
    let record = pick(records)
    let relation = pick(record.entity.relations)
    var step: Step?
    switch number(below: 100) {
    case 0..<9:
      if records.count < 24 {
        return insert(pick(PaperEntity.names + ["Author", "Article", "Tag"]), context)
      }
    case 9..<27: step = set(record)
    case 27..<43: step = link(from: record)
    case 43..<50:
      let others = records.filter { $0.entity.isKind(of: relation.destination) }
      if !others.isEmpty { step = .unlink(record.number, relation.name, pick(others).number) }
    case 50..<55: step = .delete(record.number)
    case 55..<71: step = .save(policy(), tells: number(below: 3) == 0 ? number(below: 5) : nil)
    case 71..<76: step = .merge(from: number(below: 5))
    case 76..<81: step = .refresh(record.number, merges: number(below: 3) > 0)
    case 81: step = .refreshAll
    case 82..<84: step = .rollback
    case 84: step = number(below: 2) == 0 ? .reset : .process
    case 85..<89:
      step = .fetch(
        pick(PaperEntity.names), named: number(below: 3) == 0 ? "v\(number(below: 9))" : nil,
        asFaults: number(below: 2) == 0)
    case 89: step = .find(record.number)
    case 90..<93: step = .fire(record.number)
    case 93..<95: if relation.isToMany { step = .load(record.number, relation.name) }
    case 95: step = .obtain(record.number)
    case 96..<98: step = .process
    default: step = .look
    }
    return step.map { [Move(context: context, step: $0)] } ?? []
  }

  private mutating func policy() -> PaperPolicy { pick(PaperPolicy.allCases) }

  private mutating func set(
    _ record: (number: Int, entity: PaperEntity), _ name: String? = nil
  ) -> Step {
    let entity = record.entity
    let name = name ?? pick(entity.texts + entity.numbers)
    if entity.numbers.contains(name) {
      return .set(record.number, name, .number(number(below: 4)))
    }
    // Nil where something is mandatory fails the next save; that should stay an exception.
    let isNil = number(below: entity.mandatory.contains(name) ? 25 : 6) == 0
    return .set(record.number, name, isNil ? .nothing : .text("v\(number(below: 9))"))
  }

  // MARK: What chance alone seldom brings about

  private mutating func scene() -> [Move] {
    var roots = [0, 1, 2].shuffled(using: &random)
    let moves: [(Int, Step)]
    switch number(below: 5) {
    case 0, 1: moves = race(roots[0], roots[1])
    case 2: moves = comeback(roots[0], roots[1], roots[2])
    case 3: moves = refusal()
    default: moves = denial(roots[0], roots[1])
    }
    // What is left of before may not be valid, and then nothing of this would be saved.
    if number(below: 3) == 0 { roots = [] }
    return (roots.map { ($0, .rollback) } + moves).map { Move(context: $0, step: $1) }
  }

  /// Two contexts change one record, most often the same property of it.
  private mutating func race(_ winner: Int, _ loser: Int) -> [(Int, Step)] {
    let record = pick(records)
    let name = pick(record.entity.texts + record.entity.numbers)
    return [
      (loser, set(record, name)), (winner, set(record, number(below: 4) == 0 ? nil : name)),
      (winner, .save(.objectTrump, tells: nil)), (loser, .save(policy(), tells: nil)),
    ]
  }

  /// A record is deleted, written anew by whoever had changed it, and gone for a third context.
  private mutating func comeback(
    _ deleter: Int, _ returner: Int, _ witness: Int
  ) -> [(Int, Step)] {
    let record = pick(records)
    return [
      (witness, .fire(record.number)), (returner, set(record)), (deleter, .delete(record.number)),
      (deleter, .save(.objectTrump, tells: witness)),
      (returner, .save(pick([.objectTrump, .overwrite]), tells: nil)),
      (witness, .save(policy(), tells: nil)),
    ]
  }

  /// A save that gets as far as the file and is refused there; then a child asks for new records.
  private mutating func refusal() -> [(Int, Step)] {
    let record = pick(records)
    let author = records.count
    let entity = PaperEntity.named(pick(["Article", "Draft", "Letter"]))
    let relation = entity.relations[0].name
    records += [(author, PaperEntity.named("Author")), (author + 1, entity)]
    let child = 3 + number(below: 2)
    return [
      (0, set(record)), (1, set(record)), (1, .save(.objectTrump, tells: nil)),
      (0, .insert("Author", author)), (0, .insert(entity.name, author + 1)),
      (0, .link(author + 1, relation, author)), (0, .save(.error, tells: nil)),
      (child, .fire(author + 1)), (child, .look),
    ]
  }

  /// An author is deleted who has, or had, a contract.
  private mutating func denial(_ writer: Int, _ deleter: Int) -> [(Int, Step)] {
    let contracts = records.filter { $0.entity.name == "Contract" }
    let contract = pick(contracts)
    let author = pick(records.filter { $0.entity.name == "Author" }).number
    var moves: [(Int, Step)] = [
      (writer, .link(contract.number, "signatory", author)),
      (writer, .save(.objectTrump, tells: deleter)),
    ]
    switch number(below: 4) {
    case 0: moves.append((deleter, .delete(contract.number)))
    case 1: moves.append((deleter, set(contract)))
    default: break
    }
    return moves + [(deleter, .delete(author)), (deleter, .save(policy(), tells: nil))]
  }
}
