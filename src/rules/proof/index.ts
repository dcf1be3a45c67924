export {
  checksToTry,
  hasInlineTests,
  inconclusive,
  isGood,
  isRed,
  isRefused,
  outcomeOfFiles,
  outcomeOfTries,
  type ProofFiles,
  proofFiles,
  type Tried,
  tell,
} from './proof.ts';
