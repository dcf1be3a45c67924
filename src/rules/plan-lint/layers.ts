/** A part of a program that later parts rest on. */
export interface Layer {
  readonly name: 'schema' | 'backend' | 'API' | 'front end' | 'integration';
  /** Lower is built first. */
  readonly rank: number;
}

/**
 * What tells a layer in any sentence: few and plain words, since a wrong guess costs more than a missed one. A title is
 * about one thing, so that less tells it there.
 */
const LAYERS: readonly (Layer & { readonly told: RegExp; readonly toldInTitle: RegExp })[] = [
  {
    name: 'schema',
    rank: 0,
    toldInTitle: /\b(?:database|schema|migrations?|data model)\b/i,
    told: /\b(?:(?:database|db|sql|prisma|drizzle|data) (?:schema|model)|schema migration|migrations?|(?:database|db|sql) tables?|foreign key|(?:add|create)s? (?:a |the )?(?:\S+ ){0,2}(?:table|column)s?)\b/i,
  },
  {
    name: 'backend',
    rank: 1,
    toldInTitle: /\b(?:service|repository|server action|scheduler|worker)\b/i,
    told: /\b(?:back-?end|server-?side|service layer|repository layer|business logic|background job|worker queue|cron job)\b/i,
  },
  {
    name: 'API',
    rank: 2,
    toldInTitle: /\b(?:api|routes?)\b/i,
    told: /\b(?:(?:API|REST|HTTP|GraphQL|RPC|api|rest|http|graphql|rpc) (?:[Ee]ndpoints?|[Rr]outes?|[Hh]andlers?|API|api)|[Ee]ndpoints?|(?:GraphQL|graphql) (?:query|mutation)|(?:GET|POST|PUT|PATCH|DELETE) `?\/\S*)/,
  },
  {
    name: 'front end',
    rank: 3,
    toldInTitle: /\b(?:ui|page|screen|form|button|dialog|badge|card|menu|widget|chart|selector|tab|banner)s?\b/i,
    told: /\b(?:front-?end|react component|ui component|(?:settings|login|home|landing|detail|list|profile|admin|dashboard) (?:page|screen|view)|modal|dropdown|sidebar|navbar|(?:submit|save|delete|cancel|login) button|(?:page|screen|form|dialog|button|card|menu|view)s? (?:shows?|displays?|lists?|renders?|offers?|asks?|submits?|posts?|sends?|opens?|has an? \S+ (?:button|field|input|link))\b|tooltip|toast|verif(?:y|ied) in (?:the )?browser)\b/i,
  },
  {
    name: 'integration',
    rank: 4,
    toldInTitle: /\b(?:end-to-end|e2e)\b/i,
    told: /\b(?:end-to-end|e2e|integration) tests?\b|\bwire (?:everything|it all|all) (?:up|together)\b/i,
  },
];

/** The layers that any of these sentences names, the lowest first. */
export function layersOf(sentences: readonly string[]): readonly Layer[] {
  return LAYERS.filter(({ told }) => sentences.some((sentence) => told.test(sentence)));
}

/** The layer of a title, if it names exactly one. */
export function layerOf(title: string): Layer | null {
  const [layer, another] = LAYERS.filter(({ told, toldInTitle }) => told.test(title) || toldInTitle.test(title));
  return layer !== undefined && another === undefined ? layer : null;
}
