// B1: a context that names no queue would belong to the thread that makes it.
// Swift 6: error: 'init()' is unavailable: a context needs a queue
// Swift 5: error: 'init()' is unavailable: a context needs a queue

import CoreData

func makeContext() -> NSManagedObjectContext { NSManagedObjectContext() }
