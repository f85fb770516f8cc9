// H3: a value that holds an object cannot be Sendable.
// Swift 6: error: stored property 'article' of 'Sendable'-conforming struct 'Card'
// Swift 5: warning: stored property 'article' of 'Sendable'-conforming struct 'Card'

import CoreData

struct Card: Sendable {
  let article: NSManagedObject
}
