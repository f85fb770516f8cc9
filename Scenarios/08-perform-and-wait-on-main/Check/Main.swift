import PlaygroundKit

/// Gives the learner's function a store and a main loop; it is not part of the exercise.
@main
struct Main {
  /// Runs the function once and reports.
  static func main() {
    ExerciseHarness.run(importArticles(_:into:), model: { Library.model })
  }
}
