import { writeFileSync } from 'node:fs';
import type { Reporter, TestCase, TestModule, TestSuite, Vitest } from 'vitest/node';

const SHOWN = 5;
const UNEXPLAINED = 'NO REASON GIVEN, counted as failed: use context.skip(reason)';

/** Prints what was skipped and why, and leaves the numbers and failures where scripts/run-tests.mjs finds them. */
export class SkipReporter implements Reporter {
  #pattern: RegExp | undefined;

  onInit(vitest: Vitest): void {
    this.#pattern = vitest.config.testNamePattern;
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const counts = { passed: 0, failed: errors.length, skipped: 0 };
    const failures = errors.map((error) => failureOf('outside of tests', [error]));
    const skips = new Map<string, string[]>();
    const files = modules.filter((module) => module.ok() && !this.#pattern).map((module) => module.relativeModuleId);
    for (const module of modules) {
      // A file that cannot be loaded, and hooks that fail, have no failed test to count.
      const broken = [module, ...module.children.allSuites()].filter((one) => one.errors().length > 0);
      counts.failed += broken.length;
      for (const one of broken) failures.push(failureOf(nameOf(module, one), one.errors()));
      for (const test of module.children.allTests()) {
        const { state, errors: why } = test.result();
        if (state !== 'skipped') {
          counts[state === 'passed' ? 'passed' : 'failed']++;
          if (state !== 'passed') failures.push(failureOf(nameOf(module, test), why ?? []));
          continue;
        }
        const reason = this.#reasonFor(test);
        counts[reason === undefined ? 'failed' : 'skipped']++;
        const names = skips.get(reason ?? UNEXPLAINED) ?? [];
        skips.set(reason ?? UNEXPLAINED, [...names, nameOf(module, test)]);
      }
    }
    for (const [reason, names] of skips) {
      console.log(`\nskipped ${names.length}: ${reason}`);
      for (const name of names.slice(0, SHOWN)) console.log(`  ${name}`);
      if (names.length > SHOWN) console.log(`  and ${names.length - SHOWN} more`);
    }
    const file = process.env['KUBEXM_TEST_SUMMARY'];
    if (file) writeFileSync(file, JSON.stringify({ ...counts, files, failures }));
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

function nameOf(module: TestModule, one: TestModule | TestSuite | TestCase): string {
  return one.type === 'module' ? module.relativeModuleId : `${module.relativeModuleId} > ${one.fullName}`;
}

/** A failure in few lines: they stand at the very end of a long output. */
function failureOf(name: string, errors: readonly unknown[]): string {
  const texts = errors.map((error) => {
    const { message, stack } = error as { message?: unknown; stack?: unknown };
    const at =
      String(stack ?? '')
        .split('\n')
        .find((line) => /^\s*at /.test(line)) ?? '';
    return [
      ...String(message ?? error)
        .split('\n')
        .slice(0, 12),
      at.trim(),
    ].filter((line) => line !== '');
  });
  return [name, ...texts.flat().map((line) => `    ${line}`)].join('\n');
}
