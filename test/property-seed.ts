import fc from 'fast-check';

/** The same inputs in each run, so that a test that failed fails again. Any number serves. */
const SEED = 20261123;

const { PROPERTY_SEED: configured = String(SEED) } = process.env;
if (configured !== 'random') fc.configureGlobal({ seed: Number(configured) });
