import { createRequire } from 'node:module';
import { basename } from 'node:path';
import vm from 'node:vm';
import { isMainThread } from 'node:worker_threads';
import { isSdkUnchanged } from './sdk-unchanged.ts';

/** The members of the SDK's `BaseVMWorkflow` that are used here. */
interface Workflow {
  activate(activation: unknown): Promise<unknown>;
  readonly activator: { readonly info: { readonly runId: string }; errorToFailure(error: unknown): unknown };
}

/** The SDK's program in the threads that run workflows. */
const PROGRAM = 'workflow-worker-thread.js';

/**
 * Loaded before our programs, in each of their threads. The SDK limits the time of each call into a workflow, about
 * four calls for one activation. For each limit, Node starts a thread with an event loop of its own, which takes a
 * quarter of the CPU time of the thread that runs workflows. Here one limit spans all calls of an activation; nothing
 * else runs between them.
 */
function limitActivations(): void {
  const runInContext = Reflect.get(vm.Script.prototype, 'runInContext');
  const limited = new vm.Script('globalThis.temperActivation()');
  const scope = globalThis as { temperActivation?: (() => Promise<unknown>) | undefined };
  /** ms; the SDK gives it with the first call for each workflow, which comes before the first activation. */
  let limit: number | undefined;
  let isPrepared = false;

  const prepare = (): void => {
    isPrepared = true;
    const program = process.argv[1] ?? '';
    if (basename(program) !== PROGRAM) return;
    const { BaseVMWorkflow } = createRequire(program)('./vm-shared') as {
      readonly BaseVMWorkflow: { readonly prototype: Workflow };
    };
    const activate = Reflect.get(BaseVMWorkflow.prototype, 'activate');
    BaseVMWorkflow.prototype.activate = async function (activation: unknown): Promise<unknown> {
      scope.temperActivation = () => activate.call(this, activation);
      try {
        // The promise resolves later, but all calls into the workflow are made before this line ends.
        return limited.runInThisContext(limit === undefined ? {} : { timeout: limit }) as Promise<unknown>;
      } catch (error) {
        return { runId: this.activator.info.runId, failed: { failure: this.activator.errorToFailure(error) } };
      } finally {
        scope.temperActivation = undefined;
      }
    };
  };

  vm.Script.prototype.runInContext = function (context, options): unknown {
    // The name of a thread's program is not known before it runs.
    if (!isPrepared) prepare();
    const isLimited = scope.temperActivation !== undefined;
    if (!isLimited && options?.timeout !== undefined) limit = options.timeout;
    return runInContext.call(this, context, isLimited ? { ...options, timeout: undefined } : options);
  };
}

if (!isMainThread && !isSdkUnchanged()) limitActivations();
