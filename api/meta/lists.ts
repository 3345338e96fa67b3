import { z } from 'zod';

interface ListBounds {
  readonly minItems?: number;
  readonly maxItems?: number;
}

/** A list whose items differ in one field, so that several writers with server-side apply can own items of it. */
export const keyedList = <Item extends z.ZodObject>(
  item: Item,
  key: string & keyof z.infer<Item>,
  { minItems = 1, maxItems = 512 }: ListBounds = {},
): z.ZodArray<Item> =>
  z.array(item).meta({ minItems, maxItems, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': [key] });

/** A list in which nothing stands twice. */
export const set = (item: z.ZodString, bounds: ListBounds): z.ZodArray<z.ZodString> =>
  z.array(item).meta({ ...bounds, 'x-kubernetes-list-type': 'set' });
