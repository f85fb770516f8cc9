import CoreData
import Foundation
import Testing

/// What actors and contexts stop each other for (section H).
@Suite struct ActorStops {
  @Test("H12, G15: an actor whose executor is the context's queue passes the checker")
  func anActorOnTheContextsQueuePassesTheChecker() async {
    await #expect(processExitsWith: .success) {
      switchCheckerOn()
      let keeper = Keeper(context: try openThrowawayContainer().newBackgroundContext())
      await keeper.insert(3)
      let rows = try await keeper.saveAndCount()
      precondition(rows == 3)
    }
  }

  @Test("H13: inside the context's queue, but outside a job, the actor is not to be entered")
  func outsideAJobTheActorIsClosed() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let context = try openThrowawayContainer().newBackgroundContext()
      let keeper = Keeper(context: context)
      await keeper.insert(1)
      await context.perform {
        nowStops()
        keeper.insertAssumingIsolation()
      }
    }
    #expect(reachedTheMistake(result))
  }

  @Test("H16: what belongs to the main actor traps when a private queue runs it")
  func mainActorCodeTrapsOnAPrivateQueue() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let context = try openThrowawayContainer().newBackgroundContext()
      await context.perform {
        nowStops()
        MainActor.assumeIsolated {}
      }
    }
    #expect(reachedTheMistake(result))
  }
}
