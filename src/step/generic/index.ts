import type { AnyStep } from '../../plan/step.ts';
import { checksum } from './checksum.ts';
import { checkedCommand, command } from './command.ts';
import { copy } from './copy.ts';
import { directory } from './directory.ts';
import { download } from './download.ts';
import { extract } from './extract.ts';
import { fetch } from './fetch.ts';
import { file } from './file.ts';
import { gatherFacts } from './gather-facts.ts';
import { managedBlock } from './managed-block.ts';
import { message } from './message.ts';
import { mode } from './mode.ts';
import { query } from './query.ts';
import { remove } from './remove.ts';
import { reportTable } from './report-table.ts';
import { sleep } from './sleep.ts';
import { symlink } from './symlink.ts';
import { upload } from './upload.ts';
import { userInput } from './user-input.ts';
import { waitForCommand } from './wait-for-command.ts';
import { waitForHttp } from './wait-for-http.ts';
import { waitForPort } from './wait-for-port.ts';

export type { Checksum, Digested } from './checksum.ts';
export type { CheckedCommand, Command, CommandResult, CommandRetry } from './command.ts';
export type { Copy } from './copy.ts';
export type { Directory } from './directory.ts';
export type { Download } from './download.ts';
export type { Extract } from './extract.ts';
export type { Fetch } from './fetch.ts';
export type { File } from './file.ts';
export type { GatherFacts } from './gather-facts.ts';
export type { Content } from './lib/content.ts';
export type { Kept } from './lib/kept.ts';
export type { ManagedBlock } from './managed-block.ts';
export type { Message } from './message.ts';
export type { Mode } from './mode.ts';
export type { Query } from './query.ts';
export type { Remove } from './remove.ts';
export type { Cell, ReportTable } from './report-table.ts';
export type { Sleep } from './sleep.ts';
export type { Symlink } from './symlink.ts';
export type { Upload } from './upload.ts';
export type { UserInput } from './user-input.ts';
export type { WaitForCommand } from './wait-for-command.ts';
export type { WaitForHttp } from './wait-for-http.ts';
export type { WaitForPort } from './wait-for-port.ts';
export {
  checkedCommand,
  checksum,
  command,
  copy,
  directory,
  download,
  extract,
  fetch,
  file,
  gatherFacts,
  managedBlock,
  message,
  mode,
  query,
  remove,
  reportTable,
  sleep,
  symlink,
  upload,
  userInput,
  waitForCommand,
  waitForHttp,
  waitForPort,
};

/** Every generic step, by kind: for the step reference and for the contract test. */
export const genericSteps: readonly AnyStep[] = [
  checkedCommand,
  checksum,
  command,
  copy,
  directory,
  download,
  extract,
  fetch,
  file,
  gatherFacts,
  managedBlock,
  message,
  mode,
  query,
  remove,
  reportTable,
  sleep,
  symlink,
  upload,
  userInput,
  waitForCommand,
  waitForHttp,
  waitForPort,
].map((step): AnyStep => step.definition);
