import { z } from 'zod';

interface ListBounds {
  readonly minItems?: number;
  readonly maxItems?: number;
}

/** A list keyed by one field, so that several writers can own items of it with server-side apply. */
export const keyedList = <Item extends z.ZodObject>(
  item: Item,
  key: string & keyof z.infer<Item>,
  { minItems = 1, maxItems = 512 }: ListBounds = {},
): z.ZodArray<Item> =>
  z.array(item).meta({ minItems, maxItems, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': [key] });

/** A list without duplicates. */
export const set = (item: z.ZodString, bounds: ListBounds): z.ZodArray<z.ZodString> =>
  z.array(item).meta({ ...bounds, 'x-kubernetes-list-type': 'set' });
