import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type OutputChunk, rolldown } from 'rolldown';
import { root } from '../root.ts';
import { leanPlot, leanPlotStyles } from './lean-plot.ts';
import { WHAT_IS_USED } from './tree-shaking.ts';

const source = join(root, 'dashboard');

/** The page's folder in `dist/`. */
export const PAGE = 'dashboard';

/** The dashboard's page: what a browser loads, and the code in it for the licences. */
export interface BuiltPage {
  readonly files: Readonly<Record<'index.html' | 'app.js' | 'app.css' | 'icon.svg', string>>;
  readonly chunk: OutputChunk;
}

/**
 * Bundles the dashboard's page into `dist/dashboard/`: one script, one style sheet, nothing from anywhere else.
 *
 * @returns the script, for the licences of what is in it
 * @throws what the bundler reports, warnings included
 */
export async function bundlePage(): Promise<OutputChunk> {
  const { files, chunk } = await buildPage();
  const folder = join(root, 'dist', PAGE);
  await mkdir(folder, { recursive: true });
  for (const [name, content] of Object.entries(files)) {
    // A server that runs meanwhile sees the old file or the new one, whole.
    const temporary = join(folder, `.${name}.${process.pid}`);
    await writeFile(temporary, content);
    await rename(temporary, join(folder, name));
  }
  return chunk;
}

/** The same in memory. */
export async function buildPage(): Promise<BuiltPage> {
  const chunk = await script();
  return {
    files: {
      'index.html': await readFile(join(source, 'index.html'), 'utf8'),
      'app.js': chunk.code,
      'app.css': await styles(),
      'icon.svg': await readFile(join(source, 'icon.svg'), 'utf8'),
    },
    chunk,
  };
}

async function script(): Promise<OutputChunk> {
  const build = await rolldown({
    cwd: root,
    input: join(source, 'main.tsx'),
    platform: 'browser',
    tsconfig: join(source, 'tsconfig.json'),
    transform: { target: 'es2022' },
    treeshake: WHAT_IS_USED,
    plugins: [
      {
        name: 'lean-plot',
        transform: { filter: { id: /uPlot\.esm\.js$/ }, handler: (code) => leanPlot(code) },
      },
    ],
    onLog(level, log) {
      if (level === 'warn') throw new Error(log.message);
    },
  });
  const { output } = await build.generate({ format: 'esm', minify: true, comments: false, codeSplitting: false });
  await build.close();
  const [chunk, ...others] = output;
  if (chunk === undefined || others.length > 0) throw new Error('the page is not one script');
  return chunk;
}

/** The style sheets in one: the tokens first, then the shared ones, then those of the page's parts. */
async function styles(): Promise<string> {
  const names = (await readdir(source, { recursive: true })).filter((name) => name.endsWith('.css')).sort();
  const rank = (name: string) => (name.endsWith('tokens.css') ? 0 : name.startsWith('styles') ? 1 : 2);
  const paths = names.sort((a, b) => rank(a) - rank(b)).map((name) => join(source, name));
  const library = await readFile(join(root, 'node_modules/uplot/dist/uPlot.min.css'), 'utf8');
  const texts = await Promise.all(paths.map((path) => readFile(path, 'utf8')));
  return [leanPlotStyles(minified(library)), ...texts.map(minified)].join('\n');
}

/** Comments and white space are for those who read the sources. Within selectors and values it stays: there it counts. */
function minified(css: string): string {
  return css
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/\s+/g, ' ')
    .replace(/ ?([{};]) ?/g, '$1')
    .replace(/([{;][\w-]+): /g, '$1:')
    .replaceAll(';}', '}')
    .trim();
}
