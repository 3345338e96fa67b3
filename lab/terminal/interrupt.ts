/** Aborted by Ctrl-C or SIGTERM; a second Ctrl-C that is not an echo of the first exits at once. */
export function interruptSignal(): AbortSignal {
  const abort = new AbortController();
  let first = 0;
  const interrupted = (signal: NodeJS.Signals): void => {
    if (!abort.signal.aborted) {
      first = Date.now();
      abort.abort(new Error(`ended by ${signal}`));
      return;
    }
    // npm forwards a signal that the terminal has already sent to all processes. The watchdog cleans up.
    if (Date.now() - first > 1_500) process.exit(130);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, interrupted);
  return abort.signal;
}
