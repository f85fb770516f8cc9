import CoreData

/// The model says that this class is written by hand.
public class Exhibition: NSManagedObject {
}

/// Uses the classes that are generated for the model beside this file, and prints what it sees.
@main enum UseMuseum {
  static func main() throws {
    let container = NSPersistentContainer(name: "Museum")
    container.persistentStoreDescriptions = [
      NSPersistentStoreDescription(url: URL(fileURLWithPath: CommandLine.arguments[1]))
    ]
    container.loadPersistentStores { _, error in
      if let error { fatalError("\(error)") }
    }
    let context = container.viewContext
    try fill(context)
    context.reset()
    try readBack(context)
  }

  private static func fill(_ context: NSManagedObjectContext) throws {
    let museum = Museum(context: context)
    print("new:", museum.rating, museum.stars, museum.motto ?? "-", museum.page ?? "-")
    print("founded:", museum.founded as Any)
    museum.name = "Old Masters"
    museum.founded = 1880
    museum.area = 12.5
    museum.logo = Data([1, 2])
    museum.seat = ["city": "Oslo"]
    museum.tags = ["art", "old"]
    museum.anything = NSString(string: "kept for now")
    let rooms = (1...3).map { number in
      let room = Room(context: context)
      room.number = Int32(number)
      room.size = Int64(number) * 40
      return room
    }
    museum.addToRooms(rooms[0])
    museum.addToRooms(NSSet(array: [rooms[1], rooms[2]]))
    museum.removeFromRooms(rooms[2])
    rooms[2].museum = museum
    museum.parking = rooms[0]
    let paintings = ["Dawn", "Noon", "Dusk"].map { title in
      let painting = Painting(context: context)
      painting.title = title
      painting.medium = "oil"
      painting.room = rooms[1]
      painting.insured = NSDecimalNumber(string: "99.95")
      return painting
    }
    let show = Exhibition(context: context)
    show.addToArtefacts(paintings[0])
    show.addToArtefacts(NSOrderedSet(array: [paintings[2]]))
    show.insertIntoArtefacts([paintings[1]], at: NSIndexSet(index: 0))
    show.visitors = 7
    Sculpture(context: context).title = "Torso"
    try context.save()
  }

  private static func readBack(_ context: NSManagedObjectContext) throws {
    let museums: [Museum] = try context.fetch(Museum.fetchRequest())
    let museum = museums[0]
    print(
      "museum:", museum.name ?? "-", museum.founded ?? 0, museum.area, museum.logo?.count ?? 0,
      museum.tags ?? [])
    print("seat:", museum.seat?["city"] ?? "-", museum.seat?["latitude"] ?? "-")
    museum.seat = nil
    print("seat:", museum.seat == nil)
    let rooms = (museum.rooms as? Set<Room> ?? []).sorted { $0.number < $1.number }
    print("rooms:", rooms.map(\.number), rooms[1].artefacts?.count ?? 0)
    print("large:", museum.largeRooms?.map(\.number).sorted() ?? [], museum.roomCount)
    print("parking:", museum.parking?.number ?? 0)
    let show = try context.fetch(Exhibition.fetchRequest())[0]
    let shown = show.artefacts?.array.compactMap { ($0 as? Artefact)?.title } ?? []
    print("show:", show.visitors, shown)
    show.removeFromArtefacts(at: 0)
    show.replaceArtefacts(at: 0, with: show.artefacts?[1] as! Artefact)
    print("left:", show.artefacts?.count ?? 0)
    let request = Artefact.fetchRequest()
    request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
    for artefact in try context.fetch(request) {
      print(
        type(of: artefact), artefact.title ?? "-", artefact.isOnShow, artefact.insured ?? 0,
        artefact.tidyTitle ?? "-")
      _ = artefact.id
    }
  }
}
