export {
  type Address,
  type DeadLetter,
  type Delivery,
  deliver,
  dropLetters,
  isGenuine,
  letterId,
  lettersPath,
  type Message,
  readLetters,
} from './deliver.ts';
export { showOnDesktop, thisMachine } from './desktop.ts';
export type { MetricRun } from './metrics.ts';
export { addressesOf, linkTo } from './open.ts';
