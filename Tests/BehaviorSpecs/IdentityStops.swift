import CoreData
import Foundation
import Testing

/// The mistakes with objects and ids that stop the process (section A).
@Suite struct IdentityStops {
  @Test("A17: an id of a store that the context cannot reach stops")
  func a17UsingAnIdOfAnUnattachedStoreStops() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      mustStop {
        let here = try openThrowawayContainer().newBackgroundContext()
        let there = try openThrowawayContainer().newBackgroundContext()
        let id = try there.performAndWait { try there.savedAuthor().objectID }
        here.performAndWait {
          nowStops()
          let stranger = here.object(with: id)
          stranger.willAccessValue(forKey: nil)
        }
      }
    }
    #expect(reachedTheMistake(result))
  }

  @Test("A29: reading an object after its context is gone stops")
  func a29ReadingAFaultWhoseContextWasDeallocatedStops() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      mustStop {
        let container = try openThrowawayContainer()
        var context: NSManagedObjectContext? = container.newBackgroundContext()
        let author = try context?.savedAuthor()
        weak let watched = context
        context = nil
        guard watched == nil, let author else { return }
        nowStops()
        _ = author.name
      }
    }
    #expect(reachedTheMistake(result))
  }

  @Test("A30: a relationship between objects of two contexts stops")
  func a30RelatingObjectsOfDifferentContextsStops() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      mustStop {
        let container = try openThrowawayContainer()
        let here = container.newBackgroundContext()
        let there = container.newBackgroundContext()
        here.performAndWait {
          let article = Article(context: here)
          let author = Author(context: there)
          nowStops()
          article.author = author
        }
      }
    }
    #expect(reachedTheMistake(result))
  }

  @Test("A30: a to-many relationship between objects of two contexts stops")
  func a30InsertingAnObjectOfAnotherContextIntoAToManyStops() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      mustStop {
        let container = try openThrowawayContainer()
        let here = container.newBackgroundContext()
        let there = container.newBackgroundContext()
        here.performAndWait {
          let author = Author(context: here)
          let article = Article(context: there)
          nowStops()
          author.articles.insert(article)
        }
      }
    }
    #expect(reachedTheMistake(result))
  }

  @Test("A30, A63: a relationship to an object whose deletion was saved stops")
  func a30RelatingAnObjectWithoutAContextStops() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      mustStop {
        let container = try openThrowawayContainer()
        let author = try container.viewContext.savedAuthor()
        let article = try container.viewContext.savedArticle()
        container.viewContext.delete(author)
        try container.viewContext.save()
        nowStops()
        article.author = author
      }
    }
    #expect(reachedTheMistake(result))
    #expect(says(result, "has no context any more"))
  }

  @Test("A30: a relationship to an object that was never inserted stops")
  func a30RelatingAnObjectThatWasNeverInsertedStops() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      mustStop {
        let context = try openThrowawayContainer().viewContext
        let author = Author(entity: Author.entity(), insertInto: nil)
        let article = Article(context: context)
        nowStops()
        article.author = author
      }
    }
    #expect(reachedTheMistake(result))
    #expect(says(result, "has no context yet; insert it"))
  }

  @Test("A71: an object of another entity is no member")
  func a71AddingAnObjectOfAnotherEntityStops() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      mustStop {
        let container = try openThrowawayContainer()
        let article = Article(context: container.viewContext)
        let author = Author(context: container.viewContext)
        let tags = article.mutableSetValue(forKey: "tags")
        tags.remove(author)
        nowStops()
        tags.add(author)
      }
    }
    #expect(reachedTheMistake(result))
    #expect(says(result, "desired entity = Tag"))
  }

  @Test("A31: deleting another context's object stops")
  func a31DeletingAnObjectOfAnotherContextStops() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      mustStop {
        let container = try openThrowawayContainer()
        let here = container.newBackgroundContext()
        let there = container.newBackgroundContext()
        try here.performAndWait {
          let author = try there.savedAuthor()
          nowStops()
          here.delete(author)
        }
      }
    }
    #expect(reachedTheMistake(result))
  }

  @Test("A31: refreshing another context's object stops")
  func a31RefreshingAnObjectOfAnotherContextStops() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      mustStop {
        let container = try openThrowawayContainer()
        let here = container.newBackgroundContext()
        let there = container.newBackgroundContext()
        try here.performAndWait {
          let author = try there.savedAuthor()
          nowStops()
          here.refresh(author, mergeChanges: true)
        }
      }
    }
    #expect(reachedTheMistake(result))
  }

  @Test("A32: a class that two living models claim cannot be inserted by its class alone")
  func a32InsertingAClassThatTwoModelsClaimStops() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      mustStop {
        let one = try openThrowawayContainer(model: Twice.makeModel())
        let other = try openThrowawayContainer(model: Twice.makeModel())
        let context = one.newBackgroundContext()
        context.performAndWait {
          nowStops()
          _ = Twice(context: context)
        }
        withExtendedLifetime(other) {}
      }
    }
    #expect(reachedTheMistake(result))
  }

  @Test("A34: a model in use cannot be changed")
  func a34ChangingAModelAfterACoordinatorUsedItStops() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      mustStop {
        let model = Twice.makeModel()
        let container = try openThrowawayContainer(model: model)
        let entity = model.entitiesByName["Twice"]
        nowStops()
        entity?.properties = []
        withExtendedLifetime(container) {}
      }
    }
    #expect(reachedTheMistake(result))
  }

  @Test("A34: no part of a model in use can be changed")
  func a34ChangingAnyPartOfAModelInUseStops() async {
    func stops(_ change: Int) async -> Bool {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent]
      ) { [change] in
        mustStop {
          let model = Twice.makeModel()
          let entity = model.entities[0]
          let name = entity.properties[0]
          let element = NSFetchIndexElementDescription(property: name, collationType: .binary)
          entity.indexes = [NSFetchIndexDescription(name: "byName", elements: [element])]
          let container = try openThrowawayContainer(model: model)
          nowStops()
          switch change {
          case 0: model.entities = []
          case 1: model.entities = [entity, NSEntityDescription()]
          case 2: model.setEntities([], forConfigurationName: "None")
          case 3: entity.versionHashModifier = "other"
          case 4: entity.renamingIdentifier = "Once"
          case 5: name.versionHashModifier = "other"
          case 6: name.renamingIdentifier = "title"
          default: element.isAscending = false
          }
          withExtendedLifetime(container) {}
        }
      }
      return reachedTheMistake(result)
    }
    for change in 0..<8 { #expect(await stops(change), "change \(change)") }
  }

  @Test("A44, L3: with the flag off an inaccessible fault stops")
  func a44FiringAnInaccessibleFaultWithTheFlagOffStops() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      mustStop {
        let container = try openThrowawayContainer()
        let writer = container.newBackgroundContext()
        let reader = container.newBackgroundContext()
        reader.shouldDeleteInaccessibleFaults = false
        try writer.performAndWait {
          let author = try writer.savedAuthor()
          let fault = reader.object(with: author.objectID)
          writer.delete(author)
          try writer.save()
          nowStops()
          fault.willAccessValue(forKey: nil)
        }
      }
    }
    #expect(reachedTheMistake(result))
    let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(said.contains("could not fulfill a fault"))
  }

  @Test("A45: a fault whose context is gone stops when it is fired, whatever the flag")
  func a45FiringAFaultWhoseContextIsGoneStopsWhateverTheFlag() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      mustStop {
        let container = try openThrowawayContainer()
        let id = try container.viewContext.savedAuthor().objectID
        var context: NSManagedObjectContext? = container.newBackgroundContext()
        context?.shouldDeleteInaccessibleFaults = true
        let fault = context?.object(with: id)
        context = nil
        nowStops()
        fault?.willAccessValue(forKey: nil)
      }
    }
    #expect(reachedTheMistake(result))
    #expect(says(result, "its context is gone"))
  }

  @Test("A97, K1: an object cannot be changed after a reset")
  func a97k1ChangingAnObjectAfterAResetStops() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      mustStop {
        let context = try openThrowawayContainer().viewContext
        let author = try context.savedAuthor()
        context.reset()
        nowStops()
        author.name = "Bea"
      }
    }
    #expect(reachedTheMistake(result))
    #expect(says(result, "was removed from its context and cannot be changed"))
  }

  @Test("A97, K1: an object takes no members after a reset")
  func a97k1AddingMembersAfterAResetStops() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      mustStop {
        let context = try openThrowawayContainer().viewContext
        let author = try context.savedAuthor()
        let article = Article(entity: Article.entity(), insertInto: nil)
        context.reset()
        nowStops()
        author.articles.insert(article)
      }
    }
    #expect(reachedTheMistake(result))
  }

  @Test("A70: a key that is not in the model stops")
  func a70SettingAnUndefinedKeyStops() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      mustStop {
        let context = try openThrowawayContainer().newBackgroundContext()
        context.performAndWait {
          let author = Author(context: context)
          nowStops()
          author.setValue("x", forKey: "nickname")
        }
      }
    }
    #expect(reachedTheMistake(result))
  }
}

/// A class that a test puts into two models at once.
final class Twice: NSManagedObject {
  /// A label.
  @Managed var name: String?

  /// A new model that claims this class.
  static func makeModel() -> NSManagedObjectModel {
    let model = NSManagedObjectModel()
    model.entities = [SpecModel.entity("Twice", Twice.self, [SpecModel.text("name")])]
    return model
  }
}
