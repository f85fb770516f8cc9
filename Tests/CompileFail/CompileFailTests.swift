import Foundation
import Testing

/// What the compiler refuses, warns of, and lets pass though it is wrong: Apple's annotations, with
/// their holes.
///
/// The snippets are in the folders beside this file; each begins with what must be said about it.
@Suite struct CompileFailTests {
  @Test("B1: a context cannot be made without a queue", arguments: Snippet.about("B1"))
  func aContextWithoutAQueueIsRefused(_ snippet: Snippet) throws {
    #expect(try snippet.complaints() == [])
  }

  @Test("H3: an object cannot be sent, except by force", arguments: Snippet.about("H3"))
  func anObjectIsNotSent(_ snippet: Snippet) throws {
    #expect(try snippet.complaints() == [])
  }

  @Test(
    "H1, H2, H4, H9, H23: ids, contexts, containers and coordinators may be sent",
    arguments: Snippet.about("H1"))
  func idsAndContextsAreSent(_ snippet: Snippet) throws {
    #expect(try snippet.complaints() == [])
  }

  @Test(
    "H5, H14: that a context is used outside its queue passes the compiler",
    arguments: Snippet.about("H5"))
  func aContextOutsideItsQueuePasses(_ snippet: Snippet) throws {
    #expect(try snippet.complaints() == [])
  }

  @Test(
    "H6: blocks that capture objects are warned of, an awaited background task's excepted",
    arguments: Snippet.about("H6").filter { !$0.isForOlderSDKs })
  func blocksShouldCaptureNoObjects(_ snippet: Snippet) throws {
    #expect(try snippet.complaints() == [])
  }

  @Test(
    "H6: code for SDKs before 26 compiles in Swift 5 mode, and with warnings in Swift 6 mode",
    arguments: Snippet.about("H6").filter(\.isForOlderSDKs))
  func codeForOlderSDKsCompilesInSwift5Mode(_ snippet: Snippet) throws {
    #expect(try snippet.complaints() == [])
  }

  @Test(
    "H7: requests, descriptions and conflicts stay where they are", arguments: Snippet.about("H7"))
  func requestsAreNotSent(_ snippet: Snippet) throws {
    #expect(try snippet.complaints() == [])
  }

  @Test(
    "H8: an object may come out of a block, but goes no further", arguments: Snippet.about("H8"))
  func anObjectComesOutOfABlock(_ snippet: Snippet) throws {
    #expect(try snippet.complaints() == [])
  }

  @Test(
    "H15: classes of objects do not belong to the main actor by default",
    arguments: Snippet.about("H15"))
  func theDefaultMainActorDoesNotReachObjects(_ snippet: Snippet) throws {
    #expect(try snippet.complaints() == [])
  }

  @Test("H16: a block does not inherit the main actor", arguments: Snippet.about("H16"))
  func aBlockDoesNotInheritTheMainActor(_ snippet: Snippet) throws {
    #expect(try snippet.complaints() == [])
  }

  @Test("Every snippet is compiled by one of the tests above, and each of them has snippets")
  func everySnippetIsCompiled() {
    let first = Set(Snippet.all.compactMap(\.rules.first))
    #expect(first == ["B1", "H1", "H3", "H5", "H6", "H7", "H8", "H15", "H16"])
  }
}
