/** What failed in which way, and the way out; the first that fits. */
const WAYS: readonly (readonly [message: RegExp, mend: string])[] = [
  [
    /Cannot use import statement|Unexpected token 'export'|require\(\) of ES Module|exports is not defined/,
    'name the file .mjs, or set "type": "module" in the package.json above it',
  ],
  [/require is not defined|module is not defined/, 'name the file .cjs, or write `import` and `export default`'],
  [/Unknown file extension "\.[cm]?ts"/, 'this Node.js runs no TypeScript: compile the file, and name the .js'],
  [/Cannot find package/, 'install that package in the project, or do without its import'],
  [/Cannot find module/, "name the file in the import as it is called, ending included, from the plugin's own folder"],
  [
    /its default export is no plugin|it has none of/,
    "export default { name: '…', exitWhen() { … } }; see docs/plugins.md",
  ],
  [/it needs version/, 'update ralph, or take an earlier version of the plugin'],
  [/longer than/, 'do less at the top of the module: it is loaded before the first iteration'],
  [/MB of memory/, 'keep less in memory while it is loaded'],
];

/** How a plugin that cannot be loaded may be mended. @param use as the configuration names it */
export function mendFor(use: string, message: string): string {
  const [, mend] = WAYS.find(([pattern]) => pattern.test(message)) ?? [];
  return mend ?? `mend ${use} or its options, or take it out of \`plugins\``;
}
