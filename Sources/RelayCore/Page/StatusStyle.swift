/// How the page looks: system fonts, one column that becomes two, hairlines instead of boxes, light and dark.
///
/// The colours of the chart are told apart with every kind of colour vision (after Okabe and Ito), and failures have
/// stripes as well. Words have a contrast of at least 4.5 to 1 in both schemes.
enum StatusStyle {
    static let sheet: Markup = """
        :root {
          color-scheme: light dark;
          --paper: #fbfaf7; --ink: #1c1b19; --soft: #625e57; --hair: #e2ded6; --line: #ebe8e1;
          --well: #2b6b45; --warning: #8a5200; --error: #b3261e;
          --accepted: #2f6f9f; --repeated: #8fc1e3; --gone: #a8a39a;
          --refused: #e3a21a; --limited: #b0719a; --failed: #c8401c; --stripe: #f6c4b2;
        }
        @media (prefers-color-scheme: dark) {
          :root {
            --paper: #171614; --ink: #eceae5; --soft: #a9a49b; --hair: #37342f; --line: #2a2824;
            --well: #7fce9b; --warning: #f0b352; --error: #ff8f7d;
            --accepted: #4f9bd1; --repeated: #b5d9f0; --gone: #6d6962;
            --refused: #e0ac3f; --limited: #c98bb4; --failed: #e8623d; --stripe: #7a2410;
          }
        }
        * { box-sizing: border-box; }
        html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
        body {
          margin: 0 auto; padding: 0 1.25rem 4rem; max-width: 80rem;
          background: var(--paper); color: var(--ink);
          font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif;
          overflow-wrap: anywhere;
        }
        p, ol, ul, dl, dd, h1, h2, h3, figure { margin: 0; padding: 0; }
        ol, ul { list-style: none; }
        code { font: 0.9em/1.4 ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; }
        time { font-variant-numeric: tabular-nums; }
        section { margin-top: 4.5rem; }
        h2 { font-size: 1.25rem; font-weight: 600; letter-spacing: -0.01em; line-height: 1.3; }
        h3 { font-size: 0.9375rem; font-weight: 600; }
        .muted, .note, .empty, .exact, .aside, .account, footer { color: var(--soft); }
        .exact, .aside { display: block; font-size: 0.8125rem; }
        .empty { margin-top: 0.75rem; max-width: 38rem; }
        .note { margin-top: 1.25rem; font-size: 0.875rem; }

        header.page {
          display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 2rem;
          padding: 1.25rem 0; font-size: 0.875rem; color: var(--soft);
        }
        footer.page {
          margin-top: 4.5rem; padding-top: 1.25rem; border-top: 1px solid var(--hair); font-size: 0.875rem;
        }

        .health { margin-top: 2.5rem; }
        h1 {
          max-width: 24ch; font-size: clamp(1.75rem, 1.2rem + 2.4vw, 2.75rem); font-weight: 650;
          letter-spacing: -0.025em; line-height: 1.12; text-wrap: balance;
        }
        h1::before {
          content: ""; display: block; width: 2.5rem; height: 0.3125rem; margin-bottom: 1.25rem;
          background: var(--well);
        }
        .warning h1::before { background: var(--warning); }
        .error h1::before { background: var(--error); }
        .lede { margin-top: 1.25rem; max-width: 42rem; font-size: 1.0625rem; color: var(--soft); }
        .problems { margin-top: 2rem; max-width: 52rem; }
        .problems li { padding: 1rem 0; border-top: 1px solid var(--hair); }
        .problems li:last-child { border-bottom: 1px solid var(--hair); }
        .problems .what { font-size: 1.125rem; font-weight: 600; line-height: 1.4; }
        .problems .remedy { margin-top: 0.25rem; }
        .problems .severity { line-height: 1.9375; }
        .severity { font-size: 0.8125rem; font-weight: 600; letter-spacing: 0.02em; margin-right: 0.5rem; }
        li.error .severity { color: var(--error); }
        li.warning .severity { color: var(--warning); }
        li.info .severity, li.debug .severity { color: var(--soft); }

        table { width: 100%; margin-top: 1.25rem; border-collapse: collapse; font-size: 0.9375rem; }
        caption { text-align: left; font-size: 0.875rem; color: var(--soft); padding-bottom: 0.5rem; }
        th { text-align: left; font-weight: 400; }
        thead th { color: var(--soft); font-size: 0.8125rem; padding: 0 1rem 0.5rem 0; vertical-align: bottom; }
        tbody th, td { padding: 0.75rem 1rem 0.75rem 0; vertical-align: top; border-top: 1px solid var(--hair); }
        td::before { color: var(--soft); font-size: 0.8125rem; }
        .label { display: block; font-weight: 600; }
        .account { display: block; font-size: 0.875rem; }
        .failure { display: block; font-size: 0.875rem; }
        .subscriptions th, .subscriptions td { overflow: clip; }

        .charts { display: grid; gap: 3rem; margin-top: 1.5rem; }
        .charts > figure { min-width: 0; }
        .chart { display: block; margin-top: 1rem; overflow: visible; font-size: 0.75rem; }
        .chart text { fill: var(--soft); font-variant-numeric: tabular-nums; }
        .time { text-anchor: middle; }
        .across { stroke: var(--line); }
        .ground { stroke: var(--soft); }
        .hit { fill: transparent; }
        .hour:hover .hit { fill: var(--line); }
        .accepted { fill: var(--accepted); }
        .repeated { fill: var(--repeated); }
        .gone { fill: var(--gone); }
        .refused { fill: var(--refused); }
        .limited { fill: var(--limited); }
        .failed { fill: url(#stripes); }
        .stripes { position: absolute; width: 0; height: 0; }
        .stripes rect { fill: var(--failed); }
        .stripes path { stroke: var(--stripe); stroke-width: 1.5; }
        .mean { fill: var(--accepted); }
        .slowest { fill: var(--paper); stroke: var(--failed); stroke-width: 1.75; }
        .reach { stroke: var(--hair); stroke-width: 1.5; }
        .legend { display: flex; flex-wrap: wrap; gap: 0.25rem 1.25rem; margin-top: 1rem; font-size: 0.875rem; }
        .legend b { font-weight: 600; font-variant-numeric: tabular-nums; }
        .key { margin-right: 0.25rem; }
        details { margin-top: 1rem; }
        summary { width: fit-content; cursor: pointer; font-size: 0.875rem; text-decoration: underline; }
        summary { text-underline-offset: 0.2em; text-decoration-color: var(--soft); }
        summary:focus-visible { outline: 2px solid var(--accepted); outline-offset: 4px; }
        .hours { font-size: 0.875rem; font-variant-numeric: tabular-nums; }
        td.nothing { color: var(--soft); }

        .facts { display: grid; grid-template-columns: repeat(auto-fill, minmax(9.5rem, 1fr)); gap: 1.5rem 2rem; }
        .facts { margin-top: 1.25rem; }
        .facts dt { font-size: 0.8125rem; color: var(--soft); }
        .errors { margin-top: 1.25rem; }
        .errors li { padding: 0.875rem 0; border-top: 1px solid var(--hair); overflow: clip; }
        .errors li:last-child { border-bottom: 1px solid var(--hair); }
        .errors .remedy, .again { color: var(--soft); }
        .again { margin-top: 0.25rem; font-size: 0.875rem; }
        .again .exact { display: inline; margin-left: 0.25rem; font-size: inherit; }

        @media (min-width: 76rem) {
          .subscriptions { table-layout: fixed; }
          .subscriptions th:nth-child(1) { width: 20%; }
          .subscriptions th:nth-child(2), .subscriptions th:nth-child(5) { width: 15%; }
          .subscriptions th:nth-child(4) { width: 16%; }
          .subscriptions th:nth-child(3), .subscriptions th:nth-child(7) { width: 7.5%; }
        }
        @media (max-width: 75.99rem) {
          .subscriptions, .subscriptions tbody { display: block; }
          .subscriptions thead { position: absolute; height: 1px; overflow: hidden; clip-path: inset(50%); }
          .subscriptions tr {
            display: grid; grid-template-columns: repeat(auto-fill, minmax(9rem, 1fr)); gap: 0.75rem 1.5rem;
            padding: 1.25rem 0; border-top: 1px solid var(--hair);
          }
          .subscriptions tr:last-child { border-bottom: 1px solid var(--hair); }
          .subscriptions th, .subscriptions td { display: block; padding: 0; border: 0; min-width: 0; }
          .subscriptions tbody th { grid-column: 1 / -1; }
          .subscriptions td::before { display: block; content: attr(data-name); }
          .subscriptions td.wide { grid-column: 1 / -1; }
          .subscriptions td.wide .exact { display: inline; margin-left: 0.25rem; }
          .subscriptions td.nothing { display: none; }
        }
        @media (min-width: 62rem) {
          body { padding: 0 3rem 6rem; }
          .health { margin-top: 3.5rem; }
          .charts { grid-template-columns: 1fr 1fr; gap: 4rem; }
          .hours th, .hours td { padding: 0.25rem 1rem 0.25rem 0; }
          .facts { grid-template-columns: repeat(4, 1fr); }
          .errors li { display: grid; grid-template-columns: 12rem 1fr; gap: 2rem; }
          .errors .told { max-width: 46rem; }
        }
        @media (max-width: 61.99rem) {
          .hours, .hours caption, .hours tbody, .hours tr { display: block; }
          .hours thead { position: absolute; height: 1px; overflow: hidden; clip-path: inset(50%); }
          .hours tr { padding: 0.5rem 0; border-top: 1px solid var(--hair); }
          .hours tbody th, .hours td { display: inline-block; padding: 0; border: 0; margin-right: 0.75rem; }
          .hours tbody th { font-weight: 600; }
          .hours td::before { content: attr(data-name) " "; }
          .hours td.nothing { display: none; }
          .errors .when .exact { display: inline; margin-left: 0.5rem; }
          .errors .when { font-size: 0.875rem; color: var(--soft); margin-bottom: 0.25rem; }
        }
        @media (min-width: 34.01rem) {
          .problems li { display: grid; grid-template-columns: 3.5rem 1fr; gap: 1rem; }
        }
        @media (max-width: 34rem) {
          section { margin-top: 3.5rem; }
          .health { margin-top: 1.5rem; }
          .between { display: none; }
        }
        """
}
