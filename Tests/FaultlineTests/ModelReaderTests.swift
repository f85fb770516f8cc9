import Foundation
import XCTest

@testable import Faultline

/// What is said of files that are no models, and of models that are unwise.
final class ModelReaderTests: XCTestCase {
  private var directory = URL(fileURLWithPath: NSTemporaryDirectory())

  override func setUpWithError() throws {
    directory = FileManager.default.temporaryDirectory
      .appendingPathComponent("faultline-models-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
  }

  override func tearDown() { try? FileManager.default.removeItem(at: directory) }

  /// A model of these lines; the first of them is line 3.
  private func text(_ lines: String...) -> String {
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<model documentVersion=\"1.0\">\n"
      + lines.joined(separator: "\n") + "\n</model>\n"
  }

  private func file(_ bytes: Data, _ name: String = "contents") throws -> URL {
    let url = directory.appendingPathComponent(name)
    try bytes.write(to: url)
    return url
  }

  /// What reading says: the mistake, or the warnings.
  private func said(_ text: String) throws -> [String] {
    try said(Data(text.utf8))
  }

  private func said(_ bytes: Data) throws -> [String] {
    let url = try file(bytes)
    do {
      return try ModelReader.fill(NSManagedObjectModel(), from: ModelFile(url)).map(place)
    } catch { return [place(error)] }
  }

  private func place(_ error: ModelError) -> String {
    error.description.replacingOccurrences(of: directory.path + "/", with: "")
  }

  func testWhatIsNoModelIsRefusedWithItsPlace() throws {
    XCTAssertEqual(
      try said("<plist/>"),
      ["contents:1: This is no data model: it begins with <plist>, not <model>."])
    XCTAssertEqual(
      try said(Data([0xFF, 0xFE, 0x3C])),
      ["contents: This is no data model: it is not text in UTF-8."])
    XCTAssertEqual(
      try said(Data("bplist00".utf8)),
      [
        "contents: This is a binary model of Xcode 3; open it in Xcode 4 or later and save it "
          + "as XML."
      ])
    for (text, sentence) in Self.brokenTexts {
      XCTAssertEqual(
        try said(text),
        [
          "contents:\(sentence.prefix(1)): This is no data model: "
            + "\(sentence.dropFirst(3))."
        ], text)
    }
  }

  /// What is no XML, and what is said of it; the first seven crashed the parser of the system, or
  /// were found by changing models at random.
  private static let brokenTexts: [(String, String)] = [
    ("<?xml version=\"1.0\" encoding=\"UTF7\"\0", "1: it has a letter that no text has"),
    ("<?xml version=\"1.0\" encoding=\"UTF7\"?>", "1: it says that it is not UTF-8"),
    ("", "1: it is empty"),
    ("nothing", "1: text stands outside of all elements"),
    ("<model>\n<entity>\n</model>", "3: </model> closes nothing"),
    ("<model>\n<!-- ", "2: a comment of line 2 is not closed"),
    ("<model>\n<entity", "2: the tag <entity is not closed"),
    ("<model>\n<entity>", "2: <entity> of line 2 is not closed"),
    ("<model><a b></a></model>", "1: b in <a has no value"),
    ("<model><a b=1/></model>", "1: the value of b has no quotation marks"),
    ("<model><a b=\"1/></model>", "1: the value of b is not closed"),
    ("<model><a b=\"1\" b='2'/></model>", "1: <a has b twice"),
    ("<model><a b=\"1\"c=\"2\"/></model>", "1: the tag <a is not closed"),
    ("<model a=\"&b;\"/>", "1: the value of a has the unknown letter &b;"),
    ("<model a=\"&#0;\"/>", "1: the value of a has the unknown letter &#0;"),
    ("<model a=\"&\"/>", "1: an & in the value of a begins nothing"),
    ("<model/>\n<model/>", "2: something stands behind </model>"),
    ("<model>< a/></model>", "1: a name is missing in a tag"),
  ]

  func testValuesOfAttributesAreReadAsXMLSays() throws {
    let root = try ModelElement.parse(
      Data(
        """
        \u{FEFF}<?xml version='1.0'?><!-- a --><model a="&quot;&#65;&#x1F600;&apos;" b = 'x
        y' c="">text <![CDATA[<no/>]]> &b; <?go on?><d/></model>
        <!-- z -->
        """.utf8))
    XCTAssertEqual(root.values, ["a": "\"A😀'", "b": "x y", "c": ""])
    XCTAssertEqual(root.children.map(\.name), ["d"])
    XCTAssertEqual(root.children.map(\.line), [2])
  }

  func testEntitiesOfXMLAndDepthAreRefusedBeforeTheyGrow() throws {
    let tower = (0..<9).map {

      "<!ENTITY e\($0 + 1) \"\(String(repeating: "&e\($0);", count: 9))\">"
    }
    XCTAssertEqual(
      try said(
        "<!DOCTYPE m [<!ENTITY e0 \"x\">\(tower.joined())]>\n<model a=\"&e9;\">&e9;</model>"),
      ["contents:1: This is no data model: it declares a document type."])
    XCTAssertEqual(
      try said("<!DOCTYPE m [<!ENTITY x SYSTEM \"file:///etc/passwd\">]><model>&x;</model>"),
      ["contents:1: This is no data model: it declares a document type."])
    XCTAssertEqual(
      try said(String(repeating: "<model>", count: 100_000)),
      ["contents:1: This is no data model: its elements are nested too deeply."])
  }

  private static let a = "<entity name=\"A\">"

  private static let mistakes: [(lines: String, sentence: String)] = [
    (
      "<entity name=\"A\"/>\n<entity name=\"A\"/>",
      "4: Two are called A: no entity may have the name of another."
    ),
    ("<entity/>", "3: An entity needs a name of letters, digits and underscores; \"\" is none."),
    (
      "<entity name=\"A; DROP TABLE ZB\"/>",
      "3: An entity needs a name of letters, digits and underscores; \"A; DROP TABLE ZB\" is "
        + "none."
    ),
    (
      "<entity name=\"A\" representedClassName=\"$s4main1AC\"/>",
      "3: Entity A has the class name \"$s4main1AC\", which no class has."
    ),
    (
      "<entity name=\"A\" parentEntity=\"B\"/>",
      "3: The parent of entity A is B, and there is no such entity."
    ),
    (
      "<entity name=\"A\" parentEntity=\"B\"/>\n<entity name=\"B\" parentEntity=\"A\"/>",
      "3: Entity A inherits from itself, or through more than 64 others."
    ),
    (
      "\(a)<attribute name=\"x\" attributeType=\"String\"/>\n<attribute name=\"x\" "
        + "attributeType=\"Date\"/></entity>", "4: Entity A has two properties named x."
    ),
    (
      "\(a)<attribute name=\"description\" attributeType=\"String\"/></entity>",
      "3: No property can be called description, because every object has a member of that "
        + "name."
    ),
    (
      "\(a)<attribute name=\"x\"/></entity>",
      "3: Attribute x has no type; only a transient one can do without."
    ),
    (
      "\(a)<attribute name=\"x\" attributeType=\"Money\"/></entity>",
      "3: Attribute x has the unknown type Money."
    ),
    (
      "\(a)<attribute name=\"x\" attributeType=\"Date\" minDateTimeInterval=\"soon\"/></entity>",
      "3: Attribute x has the minDateTimeInterval \"soon\", which does not fit its type."
    ),
    (
      "\(a)<attribute name=\"x\" attributeType=\"String\" regularExpressionString=\"(\"/></entity>",
      "3: Attribute x has a regular expression that cannot be read: (."
    ),
    (
      "\(a)<attribute name=\"x\" attributeType=\"Composite\"/></entity>",
      "3: Attribute x is of the composite x, which is not there."
    ),
    (
      "\(a)<attribute name=\"x\" attributeType=\"Composite\"/></entity>\n<composite name=\"x\">"
        + "<attribute name=\"x\" attributeType=\"Composite\"/></composite>",
      "4: Attribute x holds itself."
    ),
    ("\(a)<relationship name=\"x\"/></entity>", "3: Relationship A.x has no destination."),
    (
      "\(a)<relationship name=\"x\" destinationEntity=\"B\"/></entity>",
      "3: The destination of relationship x is B, and there is no such entity."
    ),
    (
      "\(a)<relationship name=\"x\" destinationEntity=\"A\" deletionRule=\"Burn\"/></entity>",
      "3: Relationship x has the unknown delete rule Burn."
    ),
    (
      "\(a)<relationship name=\"x\" destinationEntity=\"A\" toMany=\"YES\" maxCount=\"-1\"/>"
        + "</entity>", "3: Relationship x has the maxCount -1, which is no count."
    ),
    (
      "\(a)<relationship name=\"x\" destinationEntity=\"A\" inverseName=\"y\"/></entity>",
      "3: The inverse of relationship A.x is A.y, which is not there."
    ),
    (
      "\(a)<relationship name=\"x\" destinationEntity=\"A\" inverseName=\"y\"/>\n"
        + "<relationship name=\"y\" destinationEntity=\"A\" inverseName=\"y\"/></entity>",
      "3: Relationship A.x is not the inverse of its inverse A.y."
    ),
    ("\(a)<fetchedProperty name=\"x\"/></entity>", "3: Fetched property x has no fetch request."),
    (
      "\(a)<uniquenessConstraints><uniquenessConstraint><constraint value=\"x\"/>"
        + "</uniquenessConstraint></uniquenessConstraints></entity>",
      "3: A uniqueness constraint of entity A names x, which is no stored attribute or to-one "
        + "relationship of it."
    ),
    (
      "\(a)<fetchIndex name=\"i\"><fetchIndexElement property=\"x\"/></fetchIndex></entity>",
      "3: An index of entity A names x, which is no attribute or relationship of it."
    ),
    (
      "<configuration name=\"c\"><memberEntity name=\"B\"/></configuration>",
      "3: The member of configuration c is B, and there is no such entity."
    ),
    (
      "<fetchRequest name=\"f\" entity=\"B\"/>",
      "3: The entity of fetchRequest f is B, and there is no such entity."
    ),
  ]

  func testEachMistakeOfAModelIsOneSentenceWithItsLine() throws {
    for (lines, sentence) in Self.mistakes {
      XCTAssertEqual(try said(text(lines)), ["contents:" + sentence], lines)
    }
  }

  func testWhatIsUnwiseIsAWarning() throws {
    XCTAssertEqual(
      try said(
        text(
          "<entity name=\"A\">",
          "<relationship name=\"x\" destinationEntity=\"A\" deletionRule=\"No Action\"/>",
          "</entity>")),
      [
        "contents:4: The delete rule No Action of relationship A.x may leave it leading to deleted "
          + "objects.", "contents:4: Relationship A.x should have an inverse.",
      ])
  }

  func testADefaultValueThatAChangeOfTypeLeftBehindIsZeroOrNone() throws {
    let lines = text(
      "<entity name=\"A\"><attribute name=\"x\" attributeType=\"Integer 16\" "
        + "defaultValueString=\"NO\"/>",
      "<attribute name=\"y\" attributeType=\"UUID\" defaultValueString=\"none\"/></entity>")
    XCTAssertEqual(
      try said(lines),
      [
        "contents:3: Attribute x has the default value \"NO\", which does not fit its type.",
        "contents:4: Attribute y has the default value \"none\", which does not fit its type.",
      ])
    let model = NSManagedObjectModel(contentsOf: try file(Data(lines.utf8)))
    let attributes = try XCTUnwrap(model?.entities.first?.attributesByName)
    XCTAssertEqual(attributes["x"]?.defaultValue as? NSNumber, 0)
    XCTAssertNil(attributes["y"]?.defaultValue)
  }

  func testFoldersWithoutACurrentVersionAreRefused() throws {
    let folder = directory.appendingPathComponent("M.xcdatamodeld")
    let files = FileManager.default
    func complaint() -> String? {
      do {
        _ = try ModelFile(folder)
        return nil
      } catch { return place(error) }
    }
    XCTAssertEqual(complaint(), "M.xcdatamodeld: There is nothing at this path.")
    try files.createDirectory(at: folder, withIntermediateDirectories: true)
    XCTAssertEqual(complaint(), "M.xcdatamodeld: There is no version of a model in this folder.")
    for name in ["A", "B"] {
      let version = folder.appendingPathComponent("\(name).xcdatamodel")
      try files.createDirectory(at: version, withIntermediateDirectories: true)
      try Data(text().utf8).write(to: version.appendingPathComponent("contents"))
      if name == "A" { XCTAssertNil(complaint()) }
    }
    XCTAssertEqual(
      complaint(),
      "M.xcdatamodeld: There are 2 versions, and no .xccurrentversion says which is current.")
    let list = folder.appendingPathComponent(".xccurrentversion")
    for name in ["../A.xcdatamodel", "C.xcdatamodel"] {
      let words = ["_XCCurrentVersionName": name]
      try PropertyListSerialization.data(fromPropertyList: words, format: .xml, options: 0)
        .write(to: list)
      let list = "M.xcdatamodeld/.xccurrentversion: "
      XCTAssertEqual(
        complaint(),
        list
          + (name == "C.xcdatamodel"
            ? "It names C.xcdatamodel, which is not there."
            : "It does not name the current version."))
    }
    do {
      _ = try ModelFile(directory.appendingPathComponent("No.momd"))
      XCTFail("a model that is not there was read")
    } catch {
      XCTAssertEqual(
        place(error), "No.momd: A compiled model cannot be read; put No.xcdatamodeld beside it.")
    }
  }
}
