/// Arguments from what contexts hold: rows that are gone, merges, and saves into a parent.
extension Explanation {
  // MARK: Words

  /// A commit, or a save into a parent.
  func deed(_ access: Access, of what: String = "") -> String {
    guard let parent = access.parent else { return "commit\(what)" }
    let lane = history.lane(ofQueue: parent)
    return "save\(what) into \(lane.map(word) ?? parent)"
  }

  // MARK: Rows that are gone

  /// A row was deleted before a context that had read it saved a change of it.
  var ghost: [String]? {
    for deletion in history.commits
    where deletion.version == nil && deletion.thing.hasPrefix("row ") {
      let later = (history.conflicts + history.writes).filter {
        $0.thing == deletion.thing && $0.step > deletion.step
      }.sorted { $0.step < $1.step }
      guard
        let change = later.first(where: { $0.lane != deletion.lane }),
        let read = lastRead(change.lane, deletion.thing, before: deletion.step)
      else { continue }
      let (one, two) = (word(deletion.lane), word(change.lane))
      let miss = history.conflicts.first {
        $0.thing == deletion.thing && $0.step > deletion.step
      }
      let again = history.commits.first {
        $0.thing == deletion.thing && $0.step > deletion.step && $0.version != nil
      }
      let save = change.parent == nil ? "save" : deed(change)
      let intoParent =
        "A save into a parent does not look for the row: \(two)'s save succeeded before"
        + " a save to the store found no row"
      let found = change.parent == nil ? "\(two)'s save found no such row" : intoParent
      let result =
        again.map { ", and wrote the row again as \(version($0)) (\(at($0)))." }
        ?? ", and committed nothing."
      return introduction([deletion.lane, change.lane]) + [
        "\(two) read \(version(read)) of \(bare(read.thing)) (\(seen(read))); \(one)"
          + " deleted the row (\(at(deletion))) before \(two)'s \(save) (\(at(change))).",
        found + (miss.map { " (\(at($0)))" } ?? "") + result,
        again != nil
          ? "So a change of the deleted row has undone the deletion."
          : "So the change is stored in no row.",
      ]
    }
    return nil
  }

  // MARK: Merges

  /// A merge put the fields of another context, and their version, under unsaved changes.
  var merged: [String]? {
    for merge in history.merges {
      guard
        let commit = history.commits.last(where: {
          $0.thing == merge.thing && $0.step < merge.step && $0.version == merge.version
        }), commit.lane != merge.lane,
        let read = lastRead(merge.lane, merge.thing, before: commit.step),
        let save = history.writes.first(where: {
          $0.lane == merge.lane && $0.thing == merge.thing && $0.step > merge.step
        })
      else { continue }
      let (one, two) = (word(commit.lane), word(merge.lane))
      let end =
        save.parent == nil
        ? "so \(two)'s save found \(version(merge)) unchanged, met no conflict, and committed"
          + " \(version(save)) (\(at(save)))."
        : "and \(two)'s \(deed(save)) (\(at(save))) passed on only what \(two) had changed."
      return introduction([commit.lane, merge.lane]) + [
        "\(two) read \(version(read)) of \(bare(read.thing)) (\(seen(read))) before"
          + " \(one)'s commit (\(at(commit))), and had unsaved changes of the row when it merged"
          + " \(version(merge)) (\(seen(merge))).",
        "The merge kept the fields that \(two) had changed and replaced the others, \(end)",
        "So some fields have the values that \(two) chose from \(version(read)), and others have"
          + " the values that \(one) saved.",
      ]
    }
    return nil
  }

  // MARK: Saves into a parent

  /// A child's save changed an object of which its parent had unsaved changes of its own.
  var mixture: [String]? {
    for handover in history.handovers where handover.version != nil {
      guard let parent = handover.parent, let lane = history.lane(ofQueue: parent),
        lane != handover.lane,
        let read = lastRead(lane, handover.thing, before: handover.step),
        let save = history.writes.first(where: {
          $0.lane == lane && $0.thing == handover.thing && $0.step > handover.step
        }),
        // What another child brought is no change of the parent's own.
        !history.handovers.contains(where: {
          $0.thing == handover.thing && $0.parent == parent && $0.step < handover.step
        })
      else { continue }
      let (one, two) = (word(handover.lane), word(lane))
      let result = save.parent == nil ? " as \(version(save))" : ""
      return introduction([handover.lane, lane]) + [
        "\(two) read \(version(read)) of \(bare(read.thing)) (\(seen(read))), and had"
          + " unsaved changes of it when \(one)'s save changed the same object (\(at(handover))).",
        "\(two)'s \(deed(save)) (\(at(save))) wrote the fields of both\(result).",
        "A save into a parent compares no versions, so it reported no conflict.",
      ]
    }
    return nil
  }

  /// A save into a parent overwrote what another context had saved there.
  var lostInParent: [String]? {
    let found = pairs { first, second in
      guard let parent = second.parent, first.thing == second.thing,
        first.thing.hasPrefix("row "),
        first.parent == parent || first.lane == history.lane(ofQueue: parent),
        let late = lastRead(second.lane, second.thing, before: second.step)
      else { return false }
      return late.step < first.step
        && lastRead(first.lane, first.thing, before: first.step) != nil
    }
    guard let (first, second) = found,
      let late = lastRead(second.lane, second.thing, before: second.step),
      let early = lastRead(first.lane, first.thing, before: first.step)
    else { return nil }
    let (one, two) = (word(first.lane), word(second.lane))
    return introduction([first.lane, second.lane]) + [
      "\(two) read \(version(late)) of \(bare(late.thing)) (\(seen(late))) before"
        + " \(one)'s \(deed(first)) (\(at(first))); \(one) read \(version(early)) (\(seen(early)))"
        + " before \(two)'s \(deed(second)) (\(at(second))).",
      "A save into a parent compares no versions: \(two)'s save overwrote the fields that it had"
        + " changed with its own values, kept the others, and reported no conflict.",
      "So of \(one)'s change only the fields remain that \(two) did not change.",
    ]
  }
}
