/// A drawing as one page that can be stepped through, with the arrow keys, buttons, or a click on a
/// step; it loads nothing, and without scripts it still says everything.
struct SteppingPage {
  private let drawing: Drawing

  init(_ drawing: Drawing) { self.drawing = drawing }

  /// The whole file.
  var text: String {
    let picture = VectorPicture(drawing)
    let embedded = picture.embedded
    let title = Markup.escaped(drawing.title)
    return """
      <!doctype html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta http-equiv="Content-Security-Policy" content="default-src 'none'; \
      style-src 'unsafe-inline'; script-src 'unsafe-inline'">
      <title>\(title) · \(Markup.escaped(drawing.id))</title>
      <style>
      \(VectorPicture.style)
      \(Self.style)
      </style>
      </head>
      <body>
      <header>
      <h1 id="title">\(title)</h1>
      <p><code>\(Markup.escaped(drawing.id))</code> <strong>\
      \(Markup.escaped(drawing.outcome))</strong></p>
      \(lines(Drawing.facts + picture.legend))
      </header>
      <main>
      <div class="picture\(picture.width > VectorPicture.narrow ? " wide" : "")">
      <div class="names">
      \(embedded.names)
      </div>
      \(embedded.picture)
      </div>
      <section class="now" aria-live="polite" data-first="\(drawing.firstColumn)">
      <p class="keys"><button id="back">← Back</button> <span id="place"></span> \
      <button id="forward">Forward →</button></p>
      <p id="sentence">The keys ← and → step through the picture.</p>
      </section>
      </main>
      <section>
      \(part("Why", Explanation(drawing.history).sentences))\
      \(part("What was observed", drawing.findings))\
      \(part("Lines of the code", drawing.lineWords))\
      \(part("Owners of the objects", drawing.owners))\
      \(part("Not drawn", drawing.leftOutWords.map { $0 + "." }))\
      <h2>Every step in words</h2>
      <ol>
      \(drawing.columns.map(item).joined(separator: "\n"))
      </ol>
      </section>
      <script>
      \(Self.script)
      </script>
      </body>
      </html>

      """
  }

  private func item(_ column: Drawing.Column) -> String {
    "<li value=\"\(column.number)\">\(Markup.escaped(column.sentence))</li>"
  }

  private func lines(_ texts: [String]) -> String {
    texts.map { "<p class=\"soft\">\(Markup.escaped($0))</p>" }.joined(separator: "\n")
  }

  private func part(_ heading: String, _ texts: [String]) -> String {
    guard !texts.isEmpty else { return "" }
    return "<h2>\(heading)</h2>\n"
      + texts.map { "<p>\(Markup.escaped($0))</p>" }.joined(separator: "\n") + "\n"
  }

  private static let style = """
    *{box-sizing:border-box}
    body{margin:0 auto;padding:12px;max-width:60rem;background:var(--page);color:var(--ink);\
    font:16px/1.45 system-ui,"Segoe UI",Roboto,"DejaVu Sans",sans-serif}
    h1{font-size:1.25rem;margin:0 0 .25rem}h2{font-size:1rem;margin:1rem 0 .25rem}
    p{margin:.15rem 0}.soft{color:var(--soft);font-size:.875rem}
    code{font-size:1rem}li{margin:.25rem 0;color:var(--soft)}
    li.now{color:var(--ink);background:var(--now)}
    .picture{margin:.75rem 0}.picture svg{display:block}
    .picture:not(.wide) svg{max-width:100%;height:auto}
    .names{position:sticky;top:0;background:var(--page)}
    .step{cursor:pointer}.step.now .row{fill:var(--now)}
    .now:is(section){position:sticky;bottom:0;background:var(--page);\
    border-top:1px solid var(--rule);padding:.5rem 0}
    .keys{display:flex;justify-content:space-between;align-items:center;gap:.5rem}
    button{font:inherit;color:inherit;background:var(--run);border:1px solid var(--edge);\
    border-radius:6px;padding:.4rem .8rem;min-height:44px;white-space:nowrap}
    button:disabled{opacity:.45}
    #sentence{min-height:6.5rem;font-size:.9375rem}
    @media (max-width:52rem){.picture.wide{overflow-x:auto}.wide .names{width:max-content}}
    @media (min-width:52rem){main{display:grid;gap:2rem;\
    grid-template-columns:minmax(0,auto) minmax(18rem,1fr);\
    align-items:start}.now:is(section){top:1rem;bottom:auto;border:1px solid var(--rule);\
    border-radius:8px;padding:1rem}}
    """

  private static let script = """
    "use strict";
    const steps = [...document.querySelectorAll(".step")];
    const said = [...document.querySelectorAll("li")];
    const back = document.getElementById("back"), forward = document.getElementById("forward");
    let at = -1;
    function show(index, isFirst) {
      if (index < 0 || index >= steps.length) return;
      for (const list of [steps, said]) {
        list.forEach((element, i) => element.classList.toggle("now", i === index));
      }
      at = index;
      const number = steps[at].dataset.step;
      document.getElementById("place").textContent =
        "step " + number + " (" + (at + 1) + " of " + steps.length + ")";
      document.getElementById("sentence").textContent = said[at].textContent;
      back.disabled = at === 0;
      forward.disabled = at === steps.length - 1;
      if (isFirst) return;
      // On a telephone the panel lies over the lower end of the picture.
      const row = steps[at].querySelector(".row").getBoundingClientRect();
      const panel = document.querySelector("section.now").getBoundingClientRect();
      const picture = document.querySelector(".picture").getBoundingClientRect();
      const floor = panel.left < picture.right ? Math.min(panel.top, innerHeight) : innerHeight;
      const names = document.querySelector(".names").getBoundingClientRect();
      if (row.top < names.height || row.bottom > floor) {
        scrollBy({top: row.top - floor / 2, behavior: "instant"});
      }
      history.replaceState(null, "", "#step=" + number);
    }
    function fromAddress() {
      const match = /^#step=(\\d+)$/.exec(location.hash);
      // Of steps in one row the first has the number; of steps that are not drawn, the one before.
      if (match) show(Math.max(0, steps.findLastIndex(step => +step.dataset.step <= +match[1])));
    }
    back.onclick = () => show(at - 1);
    forward.onclick = () => show(at + 1);
    steps.forEach((step, index) => { step.onclick = () => show(index); });
    addEventListener("keydown", event => {
      if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
      const goal = {ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: steps.length - 1};
      if (!(event.key in goal)) return;
      event.preventDefault();
      show(goal[event.key]);
    });
    addEventListener("hashchange", fromAddress);
    back.disabled = true;
    forward.disabled = steps.length === 0;
    fromAddress();
    // Without a step in the address the page opens on the first that matters.
    const first = +document.querySelector("section.now").dataset.first;
    if (at < 0 && steps.length > 0) show(first, true);
    """
}
