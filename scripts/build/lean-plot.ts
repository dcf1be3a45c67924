/**
 * What the page's charts never use of the library that draws them, as text and what stands there instead. The library is
 * one closure, of which the bundler can leave out nothing by itself.
 */
const UNUSED: readonly (readonly [text: string, instead: string])[] = [
  // Ways to draw a series: bars and straight lines are used.
  ['(paths.stepped = stepped);', ''],
  ['(paths.spline  = monotoneCubic);', ''],
  ['uPlot.join = join;', ''],
  // No chart has a legend or a cursor of its own.
  ['const showLegend = legend.show;', 'const showLegend = false;'],
  ['const showCursor =                cursor.show;', 'const showCursor = false;'],
];

/** @throws where another version of the library has another text: then the table above is to be looked at again */
export function leanPlot(code: string): string {
  return UNUSED.reduce((rest, [text, instead]) => {
    if (!rest.includes(text)) throw new Error(`uPlot has no "${text}" any more`);
    return rest.replace(text, instead);
  }, code);
}

/** Rules for what the charts have; the others are about legends, titles and cursors. Of a minified style sheet. */
export function leanPlotStyles(css: string): string {
  return css.replace(/[^{}]*\.u-(?:title|legend|inline|series|select|cursor|hz|vt|marker)[^{}]*\{[^{}]*\}/g, '');
}
