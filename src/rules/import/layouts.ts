import { words } from '../text/index.ts';
export type Part = 'backlog' | 'prompt' | 'prd' | 'progress' | 'patterns' | 'settings' | 'specs';

/** File names that older loops use in every folder of the layout, the surest first. A `*` is a part of a name. */
export const PARTS: Readonly<Record<Part, readonly string[]>> = {
  backlog: words(
    'prd.json PRD.json tasks.json @fix_plan.md fix_plan.md IMPLEMENTATION_PLAN.md plan.md prd-*.json ' +
      'prd_*.json tasks.md TASKS.md TODO.md todo.md',
  ),
  prompt: ['prompt.md', 'PROMPT.md', 'PROMPT_build.md', 'PROMPT_build.txt', 'CLAUDE.md'],
  prd: ['prd.md', 'PRD.md'],
  progress: ['progress.txt', 'progress.md'],
  patterns: ['guardrails.md', '@AGENT.md', 'AGENT.md'],
  settings: words('config.sh .ralphrc config.toml config.json config.yaml config.yml ralph.yml ralph.yaml'),
  specs: ['specs'],
};

export interface Layout {
  /** The end of the path that the user names. */
  readonly ends: string;
  /** Folders that belong together, relative to the folder that contains `ends`; a `*` stands for every folder. */
  readonly folders: readonly string[];
  /** Names with another meaning in this layout. */
  readonly not?: readonly string[];
  /** Names of this layout, instead of those in {@link PARTS}. */
  readonly names?: Partial<Readonly<Record<Part, readonly string[]>>>;
}

/** CLAUDE.md is the prompt of a loop in its own folder; at the root of a project it is the agent's memory file. */
const ROOT_NOT = words(
  'CLAUDE.md config.json config.toml config.yaml config.yml config.sh specs tasks.json tasks.md ' +
    'TASKS.md TODO.md todo.md',
);

/** Planning tools have no prompt or settings of a loop, and their tasks come with their own documents. */
const PLANS_ONLY = { prompt: [], progress: [], patterns: [], settings: [], specs: [] } as const;

/** The layouts of older loops and planning tools; the first match counts, else the folder is read alone. */
export const LAYOUTS: readonly Layout[] = [
  { ends: '.agents/ralph', folders: ['.agents/ralph', '.agents/tasks', '.ralph'], not: ['CLAUDE.md'] },
  { ends: '.agents', folders: ['.agents/ralph', '.agents/tasks', '.ralph'], not: ['CLAUDE.md'] },
  { ends: 'scripts/ralph', folders: ['scripts/ralph'] },
  {
    ends: '.ralph',
    folders: ['.ralph', '.agents/ralph', '.agents/tasks', '.'],
    not: ROOT_NOT.filter((name) => name !== 'specs'),
  },
  {
    ends: '.ralph-tui',
    folders: ['.ralph-tui', 'tasks', '.'],
    not: ROOT_NOT.filter((name) => !name.startsWith('config')),
  },
  { ends: '.chief', folders: ['.chief/prds/*', '.chief'] },
  {
    ends: '.taskmaster',
    folders: ['.taskmaster/tasks', '.taskmaster/docs'],
    names: { ...PLANS_ONLY, backlog: ['tasks.json'], prd: ['prd.md', 'prd.txt', 'PRD.md'] },
  },
  {
    ends: '.kiro',
    folders: ['.kiro/specs/*'],
    names: { ...PLANS_ONLY, backlog: ['tasks.md'], prd: ['requirements.md'] },
  },
  {
    ends: 'openspec',
    folders: ['openspec/changes/*'],
    names: { ...PLANS_ONLY, backlog: ['tasks.md'], prd: ['proposal.md'] },
  },
  { ends: '.beads', folders: ['.beads'], names: { ...PLANS_ONLY, backlog: ['issues.jsonl', 'beads.jsonl'], prd: [] } },
  // The plan.md of such a folder is a design, and its boxes are quality gates, not stories.
  { ends: 'specs', folders: ['specs/*'], names: { ...PLANS_ONLY, backlog: ['tasks.md'], prd: ['spec.md'] } },
  {
    ends: '.specify',
    folders: ['.specify/specs/*', 'specs/*'],
    names: { ...PLANS_ONLY, backlog: ['tasks.md'], prd: ['spec.md'] },
  },
];

const ALONE: Layout = { ends: '.', folders: ['.'], not: ['config.json', 'CLAUDE.md'] };

/** The layout that a path names, and how many parts of the path lead from the project to it. */
export function layoutOf(path: string): { readonly layout: Layout; readonly depth: number } {
  const clean = path.replace(/\/+$/, '');
  for (const layout of LAYOUTS) {
    if (isEnd(clean, layout.ends)) return { layout, depth: partsOf(layout.ends) };
    for (const folder of layout.folders.filter((each) => each !== '.' && each !== layout.ends)) {
      const isOne = folder.endsWith('/*');
      const parent = isOne ? folder.slice(0, -2) : folder;
      // One of several plans, or a folder inside the layout that contains no other.
      const named = isOne && isEnd(clean.slice(0, clean.lastIndexOf('/')), parent);
      if (named) return { layout: oneOf(layout, folder, clean), depth: partsOf(folder) };
      if (parent.startsWith(`${layout.ends}/`) && isEnd(clean, parent)) return { layout, depth: partsOf(parent) };
    }
  }
  return { layout: ALONE, depth: 0 };
}

/** The layout with one folder in place of the `*`. */
function oneOf(layout: Layout, folder: string, path: string): Layout {
  const one = `${folder.slice(0, -1)}${path.slice(path.lastIndexOf('/') + 1)}`;
  return { ...layout, ends: one, folders: layout.folders.map((each) => (each === folder ? one : each)) };
}

function isEnd(path: string, ends: string): boolean {
  return path === ends || path.endsWith(`/${ends}`);
}

function partsOf(path: string): number {
  return path.split('/').length;
}

/** Whether a name fits a pattern with `*`. */
export function fits(name: string, pattern: string): boolean {
  const [start = '', end] = pattern.split('*');
  return end === undefined
    ? name === pattern
    : name.length > pattern.length - 1 && name.startsWith(start) && name.endsWith(end);
}
