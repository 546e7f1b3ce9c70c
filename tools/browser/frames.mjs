// Scrolls a long list and measures it: the gaps between frames, and the tasks of the page's main thread. A gap also grows when other
// programs take the processor; the processor time of a task says what the page itself costs.

/**
 * Scrolls a list to its end, also as it grows. Returns milliseconds: `gaps` between frames, `tasks` of the main thread by the clock,
 * and `work`, the processor time of the same tasks.
 */
export async function measureScroll(browser, page, list) {
  const trace = await startTrace(browser, page);
  const gaps = await page.evaluate(scroll, list);
  return { gaps, ...(await trace.stop()) };
}

/** One line about it. */
export function describe({ gaps, tasks, work }, limit) {
  const over = (times) => times.filter((time) => time > limit).length;
  const longest = (times) => Math.max(0, ...times).toFixed(0);
  return `${gaps.length} frames, ${over(gaps)} gaps over ${limit} ms (longest ${longest(gaps)}); main thread: ${over(tasks)} tasks over ${limit} ms by the clock ` +
    `(longest ${longest(tasks)}), ${over(work)} in processor time (longest ${longest(work)})`;
}

async function scroll(selector) {
  const rows = document.querySelector(selector);
  const gaps = [];
  let last = await new Promise(requestAnimationFrame);
  for (let step = 0; step < 600; step += 1) {
    rows.scrollTop += Math.max(200, rows.scrollHeight / 400);
    const now = await new Promise(requestAnimationFrame);
    gaps.push(now - last);
    last = now;
  }
  return gaps;
}

async function startTrace(browser, page) {
  const session = await browser.newBrowserCDPSession();
  const events = [];
  session.on("Tracing.dataCollected", ({ value }) => events.push(...value));
  await session.send("Tracing.start", { transferMode: "ReportEvents", traceConfig: { includedCategories: ["toplevel", "devtools.timeline", "disabled-by-default-devtools.timeline"] } });
  const mark = `overt-${Math.random()}`;
  await page.evaluate((name) => console.timeStamp(name), mark);
  return {
    async stop() {
      const complete = new Promise((resolve) => session.once("Tracing.tracingComplete", resolve));
      await session.send("Tracing.end");
      await complete;
      await session.detach();
      const own = events.find(({ name, args }) => name === "TimeStamp" && args.data?.message === mark);
      if (!own) throw new Error("the trace does not have the page's main thread");
      const found = events.filter(({ name, pid, tid }) => name === "RunTask" && pid === own.pid && tid === own.tid);
      return { tasks: found.map(({ dur }) => (dur ?? 0) / 1000), work: found.map(({ tdur }) => (tdur ?? 0) / 1000) };
    },
  };
}
