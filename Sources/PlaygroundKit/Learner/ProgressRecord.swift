/// What a learner has reached: the content of `progress.json`, which a person can read.
public struct ProgressRecord: Codable, Sendable, Equatable {
  /// What was reached in one exercise.
  public struct Entry: Codable, Sendable, Equatable {
    /// The points of the best check, and the most there were; nil before the first check.
    public var points: Int?
    public var pointsMax: Int?
    /// Whether a check has met every requirement.
    public var isPassed = false
    /// The levels of the hints that were shown, from 1.
    public var hints: [Int] = []
    /// Whether the solution was shown before a pass.
    public var isGivenUp = false
    /// The first prediction for each question.
    public var predictions: [Prediction] = []

    /// An exercise that nothing was done for.
    public init() {}

    private enum CodingKeys: String, CodingKey {
      case points, pointsMax, isPassed, hints, isGivenUp, predictions
    }

    /// Writes what there is to say.
    public func encode(to encoder: any Encoder) throws {
      var values = encoder.container(keyedBy: CodingKeys.self)
      try values.encodeIfPresent(points, forKey: .points)
      try values.encodeIfPresent(pointsMax, forKey: .pointsMax)
      try values.encode(isPassed, forKey: .isPassed)
      if !hints.isEmpty { try values.encode(hints, forKey: .hints) }
      if isGivenUp { try values.encode(isGivenUp, forKey: .isGivenUp) }
      if !predictions.isEmpty { try values.encode(predictions, forKey: .predictions) }
    }

    /// Reads what is there; a key that is missing has the value of a new entry.
    public init(from decoder: any Decoder) throws {
      let values = try decoder.container(keyedBy: CodingKeys.self)
      points = try values.decodeIfPresent(Int.self, forKey: .points)
      pointsMax = try values.decodeIfPresent(Int.self, forKey: .pointsMax)
      isPassed = try values.decodeIfPresent(Bool.self, forKey: .isPassed) ?? false
      hints = try values.decodeIfPresent([Int].self, forKey: .hints) ?? []
      isGivenUp = try values.decodeIfPresent(Bool.self, forKey: .isGivenUp) ?? false
      predictions = try values.decodeIfPresent([Prediction].self, forKey: .predictions) ?? []
    }
  }

  /// What a learner predicted, how sure they were, and whether the runs agreed.
  public struct Prediction: Codable, Sendable, Equatable {
    /// The question, by its key.
    public var question: String
    /// How sure the learner was, from 1 to 5; nil if they did not say.
    public var sure: Int?
    /// Whether the runs agreed.
    public var isRight: Bool
  }

  /// The format that this version writes; every earlier one is read.
  static let currentFormat = 1

  /// The format of the file.
  public var format = currentFormat
  /// The version of the tool that wrote it.
  public var faultline: String
  /// The exercises, by the names of their folders.
  public var exercises: [String: Entry] = [:]

  /// A record without exercises.
  public init(version: String) { faultline = version }

  /// What was reached in an exercise.
  public subscript(exercise: Exercise) -> Entry {
    get { exercises[exercise.folder] ?? Entry() }
    set { exercises[exercise.folder] = newValue }
  }
}

extension ProgressRecord.Entry {
  /// Adds the result of a check of the whole exercise.
  public mutating func add(_ record: CheckRecord) {
    points = min(max(points ?? 0, record.points), record.pointsMax)
    pointsMax = record.pointsMax
    isPassed = isPassed || record.isPassed
  }

  /// Adds a hint that was shown.
  public mutating func addHint(level: Int) { hints = Set(hints + [level]).sorted() }

  /// Adds a prediction, unless there is one for its question: after the first, the learner has seen
  /// what the runs gave.
  public mutating func add(_ prediction: ProgressRecord.Prediction) {
    guard !predictions.contains(where: { $0.question == prediction.question }) else { return }
    predictions.append(prediction)
  }

  /// Whether the numbers can be what a check and the commands wrote.
  fileprivate var isSound: Bool {
    let most = pointsMax ?? 0
    return (points == nil) == (pointsMax == nil) && (0...10_000).contains(most)
      && (0...most).contains(points ?? 0) && hints.allSatisfy { (1...9).contains($0) }
      && predictions.allSatisfy {
        ProgressRecord.Prediction.sureRange.contains($0.sure ?? 1)
      }
  }
}

extension ProgressRecord {
  /// Whether the numbers can be what this tool wrote.
  var isSound: Bool { format > 0 && exercises.values.allSatisfy(\.isSound) }
}

extension ProgressRecord.Prediction {
  /// How sure a learner can be.
  public static let sureRange = 1...5
}
