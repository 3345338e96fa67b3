import { z } from 'zod';
import { metal3DataTemplateSpec } from '../../api/metal3datatemplate/schema.ts';
import type { TemplateFacts } from '../../domain/data/objects.ts';
import { once } from '../once.ts';
import { metadata } from './metadata.ts';

const dataTemplate = z.object({ metadata, spec: metal3DataTemplateSpec.prefault({}) });

export type DataTemplateRead = { readonly template: TemplateFacts } | { readonly problem: string };

/** The only strict reader: a template that we do not understand completely is not rendered. */
export const readDataTemplate = once((object): DataTemplateRead => {
  const read = dataTemplate.safeParse(object);
  if (!read.success) {
    const issues = read.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
    return { problem: `Metal3DataTemplate can not be read: ${issues.join('; ')}` };
  }
  const { metadata, spec } = read.data;
  return {
    template: {
      namespace: metadata.namespace,
      name: metadata.name,
      metaData: spec.metaData,
      networkData: spec.networkData,
    },
  };
});
