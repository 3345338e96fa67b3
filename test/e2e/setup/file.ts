import { nameNamespace } from '../support/place/namespace.ts';

nameNamespace();
