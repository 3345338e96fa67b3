import { withoutUrlSecrets } from '../domain/urls/hidden.ts';

/** Names of values that no log may show, at any depth. */
const SECRET =
  /passw(or)?d|authorization|user_?data|token|secret|credential|kubeconfig|(^|[_-])key(-data)?$|[a-z]Key$/i;
/** Deeper than anything we log; deeper values are cut off. */
const DEPTH = 8;
/** Causes of an error that are shown. */
const CAUSES = 8;

/** Limit of values in one line: objects of libraries refer to many others, also in circles. */
const MOST_VALUES = 2_000;

/** Fields of a log line without secrets: values with a secret name are masked, URLs lose their user and query. */
export function maskedFields(fields: object): Record<string, unknown> {
  let left = MOST_VALUES;

  const maskedField = (name: string, value: unknown, depth: number): unknown =>
    SECRET.test(name) && value !== undefined ? '***' : masked(value, depth - 1);

  const masked = (value: unknown, depth: number): unknown => {
    if (typeof value === 'string') return withoutUrlSecrets(value);
    if (typeof value !== 'object' || value === null) return value;
    left -= 1;
    if (depth <= 0 || left < 0) return '…';
    try {
      if (value instanceof Error) return maskedError(value, depth, CAUSES);
      if (Array.isArray(value)) return value.map((item) => masked(item, depth - 1));
      if (hasOwnJson(value)) return masked(value.toJSON(), depth - 1);
      return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, maskedField(name, inner, depth)]));
    } catch {
      // A getter that throws must not keep the line from being written.
      return '…';
    }
  };

  /** Type, message and stack, which JSON leaves out, the causes, and the error's other fields. */
  const maskedError = (error: Error, depth: number, causes: number): unknown => {
    const { name, message, stack, cause } = error;
    const inner = error instanceof AggregateError ? error.errors.slice(0, CAUSES) : [];
    const others = Object.entries(error).filter(([field]) => !SHOWN.includes(field));
    const nested = (value: unknown): unknown => {
      left -= 1;
      if (causes === 0 || left < 0) return '…';
      return value instanceof Error ? maskedError(value, depth, causes - 1) : masked(value, depth - 1);
    };
    return {
      type: name === 'Error' ? error.constructor.name : name,
      message: withoutUrlSecrets(message),
      ...(stack !== undefined && { stack: withoutUrlSecrets(stack) }),
      ...Object.fromEntries(others.map(([field, value]) => [field, maskedField(field, value, depth)])),
      ...(cause !== undefined && { cause: nested(cause) }),
      ...(inner.length > 0 && { errors: inner.map(nested) }),
    };
  };

  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, maskedField(name, value, DEPTH)]));
}

/** True for a Date, a URL or a Buffer, whose own JSON is shown. */
const hasOwnJson = (value: object): value is { toJSON(): unknown } =>
  'toJSON' in value && typeof value.toJSON === 'function';

/** Fields of an error that are not shown among its other fields. */
const SHOWN: readonly string[] = ['name', 'message', 'stack', 'cause', 'errors'];
