import { z } from 'zod';
import { section } from './field.ts';
import { dataDirectory } from './text.ts';

/** `spec.storage`. */
export const storageSchema = section({
  openebs: z
    .strictObject({
      basePath: dataDirectory().default('/var/openebs/local').describe('Where volumes lie on the nodes.'),
    })
    .optional()
    .describe('OpenEBS local volumes; installed if this section is there.'),
}).describe('Storage classes to install.');
