import { writeFileSync } from 'node:fs';
import type { Reporter, TestModule } from 'vitest/node';

/** The variable that names the file to write. */
export const FILE_TIMES = 'TEMPER_FILE_TIMES';

/**
 * A reporter of vitest: how long each test file took with its set-up, which vitest's own JSON leaves out; ms by path.
 */
export default class FileTimes implements Reporter {
  readonly #times = new Map<string, number>();

  onTestModuleEnd(module: TestModule): void {
    const { setupDuration, collectDuration, duration } = module.diagnostic();
    this.#times.set(module.moduleId, setupDuration + collectDuration + duration);
  }

  onTestRunEnd(): void {
    const file = process.env[FILE_TIMES];
    if (file !== undefined) writeFileSync(file, JSON.stringify(Object.fromEntries(this.#times)));
  }
}
