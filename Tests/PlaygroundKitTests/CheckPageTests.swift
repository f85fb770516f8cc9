import Testing

@testable import PlaygroundKit

/// What the page of a check says besides its findings.
@Suite struct CheckPageTests {
  private func page(sandbox: String?) -> String {
    CheckPage(
      CheckRecord(
        number: 8, title: "t", folder: "ex/08-t", isSide: true, findings: [], schedules: 1,
        limit: nil, sandbox: sandbox)
    ).text
  }

  @Test func aCheckWithoutASandboxSaysSo() {
    #expect(page(sandbox: Sandbox.none).contains("There is no sandbox here"))
    #expect(!page(sandbox: "bubblewrap").contains("sandbox"))
    #expect(!page(sandbox: nil).contains("sandbox"))
  }
}
