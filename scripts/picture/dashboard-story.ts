/** What the picture's run works on: something done, something rolled back, something under way. */
export const STORIES = [
  { id: 'US-001', title: 'Read the price list' },
  { id: 'US-002', title: 'Show prices with two decimals', dependsOn: ['US-001'] },
  { id: 'US-003', title: 'Ask which currency to use', dependsOn: ['US-001'] },
  { id: 'US-004', title: 'Take a discount off the total', dependsOn: ['US-002'] },
  { id: 'US-005', title: 'Print a receipt', dependsOn: ['US-004'] },
] as const;

export const CHECK = 'for file in src/*.js; do node --check "$file" || exit 1; done';

const READY = { status: { STATUS: 'COMPLETE', EXIT_SIGNAL: true } };
const APPROVED = { status: { STATUS: 'COMPLETE', REVIEW: 'APPROVED', EXIT_SIGNAL: true } };
const spent = (cost: number, context: number) => ({ usage: { input: 9000, output: 900, cost, context } });
const code = (id: string, content: string) => ({ write: { path: `src/${id.toLowerCase()}.js`, content } });

/** Steps of the scripted agent; the last one takes longer than taking the picture. */
export const STEPS = [
  { when: { mode: 'review' }, do: [{ say: 'I read the diff.' }, spent(0.02, 31_000), APPROVED] },
  { when: { story: 'US-001' }, do: [code('US-001', 'exports.list = [];\n'), spent(0.05, 42_000), READY] },
  {
    when: { story: 'US-002', attempt: 1 },
    do: [code('US-002', 'exports.show = (\n'), spent(0.07, 64_000), READY],
  },
  { when: { story: 'US-002' }, do: [code('US-002', 'exports.show = String;\n'), spent(0.06, 58_000), READY] },
  {
    when: { story: 'US-003' },
    do: [
      spent(0.01, 12_000),
      { tool: { name: 'ask_question', arguments: { question: 'Euro only, or the currency of the customer?' } } },
    ],
  },
  {
    when: { story: 'US-004' },
    do: [
      spent(0.09, 142_000),
      code('US-004', 'exports.discount = 0.1;\n'),
      { run: 'node -e "setTimeout(() => {}, 60000)" src/us-004.js' },
    ],
  },
] as const;
