import { writeFileSync } from 'node:fs';
import type { Reporter, TestCase, TestModule, TestSuite, Vitest } from 'vitest/node';

const SHOWN = 5;
const UNEXPLAINED = 'NO REASON GIVEN, counted as failed: use context.skip(reason)';

/** Prints what was skipped and why, and leaves the numbers where scripts/run-tests.mjs finds them. */
export class SkipReporter implements Reporter {
  #pattern: RegExp | undefined;

  onInit(vitest: Vitest): void {
    this.#pattern = vitest.config.testNamePattern;
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const counts = { passed: 0, failed: errors.length, skipped: 0 };
    const skips = new Map<string, string[]>();
    const files = modules.filter((module) => module.ok() && !this.#pattern).map((module) => module.relativeModuleId);
    for (const module of modules) {
      // A file that cannot be loaded, and hooks that fail, have no failed test to count.
      if (module.errors().length > 0) counts.failed++;
      for (const suite of module.children.allSuites()) if (suite.errors().length > 0) counts.failed++;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state !== 'skipped') {
          counts[state === 'passed' ? 'passed' : 'failed']++;
          continue;
        }
        const reason = this.#reasonFor(test);
        counts[reason === undefined ? 'failed' : 'skipped']++;
        const names = skips.get(reason ?? UNEXPLAINED) ?? [];
        skips.set(reason ?? UNEXPLAINED, [...names, `${module.relativeModuleId} > ${test.fullName}`]);
      }
    }
    for (const [reason, names] of skips) {
      console.log(`\nskipped ${names.length}: ${reason}`);
      for (const name of names.slice(0, SHOWN)) console.log(`  ${name}`);
      if (names.length > SHOWN) console.log(`  and ${names.length - SHOWN} more`);
    }
    const file = process.env['KUBEXM_TEST_SUMMARY'];
    if (file) writeFileSync(file, JSON.stringify({ ...counts, files }));
  }

  /** What the test said itself, or its own or a suite's name that says what it needs. */
  #reasonFor(test: TestCase): string | undefined {
    const result = test.result();
    if (result.state === 'skipped' && result.note) return result.note;
    if (this.#pattern && !this.#pattern.test(test.fullName)) return `its name does not match ${this.#pattern}`;
    let one: TestCase | TestSuite | TestModule = test;
    while (one.type !== 'module') {
      const needs = /\bneeds? [^()]*/.exec(one.name)?.[0];
      if (needs) return needs.trim();
      if (one.type === 'suite' && one.errors().length > 0) return 'its set-up failed';
      one = one.parent;
    }
    return one.errors().length > 0 ? 'its set-up failed' : undefined;
  }
}
