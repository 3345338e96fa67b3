/** Types only: importing this file loads no code. */
import type { z } from 'zod';
import type { condition } from './conditions.ts';
import type { deprecatedConditions, deprecatedStatus } from './deprecated.ts';

import type { DeepReadonly } from './readonly.ts';
import type { namedReference, objectReference, secretReference } from './references.ts';

export type StoredCondition = DeepReadonly<z.infer<typeof condition>>;
export type DeprecatedConditions = DeepReadonly<z.infer<typeof deprecatedConditions>>;
export type DeprecatedStatus = DeepReadonly<z.infer<typeof deprecatedStatus>>;
export type NamedReference = DeepReadonly<z.infer<typeof namedReference>>;
export type ObjectReference = DeepReadonly<z.infer<typeof objectReference>>;
export type SecretReference = DeepReadonly<z.infer<typeof secretReference>>;
