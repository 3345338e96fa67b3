import { writeSync } from 'node:fs';
import vm from 'node:vm';
import { isMainThread } from 'node:worker_threads';

/** Preloaded: prints a line for each call into a context whose time Node limits. */
const tell = (options: { readonly timeout?: number | undefined } | undefined): void => {
  if (options?.timeout !== undefined) writeSync(1, 'limited call\n');
};

if (!isMainThread) {
  const { prototype } = vm.Script;
  const inContext = Reflect.get(prototype, 'runInContext');
  const inThisContext = Reflect.get(prototype, 'runInThisContext');
  prototype.runInContext = function (context, options): unknown {
    tell(options);
    return inContext.call(this, context, options);
  };
  prototype.runInThisContext = function (options): unknown {
    tell(options);
    return inThisContext.call(this, options);
  };
}
