import fc from 'fast-check';

/**
 * Set-up of unit tests: properties draw the same inputs each time, so that a result depends on the code alone. Other
 * inputs: `PROPERTY_SEED=7 npm run test:unit`.
 */
fc.configureGlobal({ seed: Number(process.env['PROPERTY_SEED'] ?? 1) });
