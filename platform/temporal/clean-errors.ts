import type { ActivityInboundCallsInterceptor } from '@temporalio/worker';
import { withoutUrlSecrets } from '../../domain/urls/hidden.ts';

/** The errors of activities go into histories: users and queries of URLs are removed from them. */
export const cleanErrors: ActivityInboundCallsInterceptor = {
  async execute(input, next) {
    try {
      return await next(input);
    } catch (error) {
      clean(error);
      throw error;
    }
  },
};

/** The error is changed in place, because its type decides whether it is retried. */
function clean(error: unknown): void {
  const seen = new Set<unknown>();
  for (let each = error; each instanceof Error && !seen.has(each); each = each.cause) {
    seen.add(each);
    replace(each, 'message');
    replace(each, 'stack');
  }
}

function replace(error: Error, field: 'message' | 'stack'): void {
  const text = error[field];
  if (text === undefined) return;
  const value = withoutUrlSecrets(text);
  if (value !== text) Object.defineProperty(error, field, { value, writable: true, configurable: true });
}
