import type { en } from './en.ts';
import { zhRun } from './zh-run.ts';

/** 命令行的全部中文文字。 */
export const zh: Readonly<Record<keyof typeof en, string>> = { ...zhRun };
