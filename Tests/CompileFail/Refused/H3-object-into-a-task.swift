// H3: a task cannot take an object along.
// Swift 6: error: passing closure as a 'sending' parameter risks causing data races
// Swift 5: accepted

import CoreData

func print(_ article: NSManagedObject) {
  Task.detached { print(article.objectID) }
}
