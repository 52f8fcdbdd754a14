import { mergeConfig } from 'vitest/config';
import base from '../../vitest.config.ts';

// A mutant may wait for what never comes: that is noticed sooner than in other runs. All mutants are in the same text, so it is
// translated once.
export default mergeConfig(base, {
  test: {
    // The tests of this tool turn its switches themselves: they would catch every mutant.
    exclude: ['**/node_modules/**', 'test/tooling/mutate.test.ts'],
    setupFiles: ['scripts/mutation/test-name.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    fsModuleCache: true,
    fsModuleCachePath: process.env['KUBEXM_MUTANTS_MODULES'],
  },
});
