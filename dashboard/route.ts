import { signal } from '@preact/signals';

const SECTIONS = ['timeline', 'stories', 'transcript', 'checks', 'charts', 'replay'] as const;
export type Section = (typeof SECTIONS)[number];

export type Route =
  | { readonly page: 'overview' }
  | {
      readonly page: 'run';
      readonly project: string;
      readonly run: string;
      readonly section: Section;
      /** Chosen in the time line. */
      readonly iteration: number | null;
    }
  | { readonly page: 'unknown' };

/** Parses an address. Pure. */
function parseRoute(hash: string): Route {
  const parts =
    hash
      .replace(/^#?\/?/, '')
      .split('?')[0]
      ?.split('/')
      .map(decoded) ?? [];
  const [page, project, run, section, number] = parts;
  if (page === '' || page === undefined) return { page: 'overview' };
  if (page !== 'run' || !project || !run) return { page: 'unknown' };
  if (section === undefined || section === '') return { page, project, run, section: 'timeline', iteration: null };
  if (section === 'iteration' && /^\d{1,9}$/.test(number ?? '')) {
    return { page, project, run, section: 'timeline', iteration: Number(number) };
  }
  const known = SECTIONS.find((one) => one === section);
  return known === undefined ? { page: 'unknown' } : { page, project, run, section: known, iteration: null };
}

/** The address of a run's page, of one of its sections, or of one iteration. Pure. */
export function runHref(project: string, run: string, section: Section | number = 'timeline'): string {
  const base = `#/run/${encodeURIComponent(project)}/${encodeURIComponent(run)}`;
  if (typeof section === 'number') return `${base}/iteration/${section}`;
  return section === 'timeline' ? base : `${base}/${section}`;
}

export const route = signal<Route>({ page: 'overview' });

/** Follows the address from here on. */
export function followAddress(): void {
  const read = () => {
    const before = placeOf(route.value);
    route.value = parseRoute(location.hash);
    if (placeOf(route.value) !== before) scrollTo({ top: 0 });
  };
  addEventListener('hashchange', read);
  read();
}

/** A place that opens at its top: a page, or a section of it. */
function placeOf(at: Route): string {
  return at.page === 'run' ? `${at.project}/${at.run}/${at.section}` : at.page;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
