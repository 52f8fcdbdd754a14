import { access } from 'node:fs/promises';
import type { AnyAuthMethod, AuthHandlerMiddleware, Prompt } from 'ssh2';
import { exitCodeOf, KubexmError as Known, type KubexmError, kubexmError } from '../../model/errors/index.ts';
import type { Target } from '../target.ts';
import { agentKeys, publicKeys, SelectiveAgent } from './agent.ts';
import { findKey, isLocked, type LoadedKey, loadKey } from './private-key.ts';

/** What is tried to log in, and what came of it. */
export interface AuthPlan {
  readonly handler: AuthHandlerMiddleware;
  /** Notes something for the error: an agent that did not answer. */
  note(text: string): void;
  /** The error when nothing worked. */
  failure(cause: unknown): KubexmError;
}

interface Attempt {
  readonly label: string;
  readonly method: AnyAuthMethod;
}

/** Loads the keys of a target and plans the attempts, the surest first. */
export async function planAuth(target: Target): Promise<AuthPlan> {
  const notes: string[] = [];
  const attempts = await collect(target, notes);
  const tried: string[] = [];
  let offered: readonly string[] = [];
  let next = 0;
  return {
    handler(left, _partial, go) {
      if (left) offered = left as string[];
      let attempt = attempts[next++];
      while (attempt && left && !isOffered(attempt.method.type, left as string[])) attempt = attempts[next++];
      if (attempt) tried.push(attempt.label);
      // The typings know neither `false` nor that a method may be given as an object here; ssh2 documents both.
      go((attempt?.method ?? false) as never);
    },
    note: (text) => notes.push(text),
    failure(cause) {
      return kubexmError(
        'KX3004',
        {
          host: target.name,
          user: target.user,
          address: target.address,
          port: target.port,
          tried: [...tried, ...notes].join(', ') || '-',
          offered: offered.join(', ') || '-',
        },
        { cause, host: target.name },
      );
    },
  };
}

function isOffered(type: string, offered: readonly string[]): boolean {
  return offered.includes(type === 'agent' ? 'publickey' : type);
}

async function collect(target: Target, notes: string[]): Promise<Attempt[]> {
  const { auth, user } = target;
  const attempts: Attempt[] = [];
  const addKey = (loaded: LoadedKey | undefined): void => {
    if (!loaded) return;
    const method = { type: 'publickey', username: user, key: loaded.key } as unknown as AnyAuthMethod;
    attempts.push({ label: `${loaded.label} (${loaded.key.type})`, method });
  };
  const socket = await findAgent(target, notes);
  const inAgent = holdsKeyOf(socket);
  if (auth.privateKey !== undefined) addKey(await loadKey(target, { label: 'privateKey', data: auth.privateKey }));
  if (auth.privateKeyPath !== undefined) addKey(await loadFile(target, auth.privateKeyPath, inAgent, true));
  if (socket !== undefined) {
    const agent = auth.identitiesOnly ? await selectiveAgent(target, socket) : socket;
    attempts.push({ label: 'agent', method: { type: 'agent', username: user, agent } });
  }
  for (const file of auth.identityFiles ?? []) addKey(await loadIdentity(target, file, inAgent, notes));
  if (auth.password !== undefined) {
    const { password } = auth;
    if (auth.keyboardInteractive !== false) attempts.push(interactive(user, password));
    attempts.push({ label: 'password', method: { type: 'password', username: user, password } });
  }
  return attempts;
}

type InAgent = (file: string) => Promise<boolean>;

/** A key's file, unless it is encrypted and the agent can sign in its place: nobody has to type anything then. */
async function loadFile(
  target: Target,
  file: string,
  inAgent: InAgent,
  mayAsk: boolean,
): Promise<LoadedKey | undefined> {
  const found = await findKey(target, file);
  if (isLocked(target, found) && (await inAgent(file))) return undefined;
  return loadKey(target, found, mayAsk);
}

/** Whether the agent holds the key whose public half lies beside a file. The agent is asked once, and only if need be. */
function holdsKeyOf(socket: string | undefined): InAgent {
  let held: Promise<ReadonlySet<string>> | undefined;
  return async (file) => {
    if (socket === undefined) return false;
    held ??= agentKeys(socket);
    const [key] = await publicKeys([file]);
    return key !== undefined && (await held).has(key);
  };
}

/** Answers one hidden prompt with the password, once: asked again, it was wrong, and asking forever would lock the account. */
function interactive(user: string, password: string): Attempt {
  let answered = false;
  const prompt = (_n: string, _i: string, _l: string, prompts: Prompt[], finish: (answers: string[]) => void): void => {
    const wanted = prompts.length === 1 && prompts[0]?.echo !== true && !answered;
    answered ||= prompts.length > 0;
    finish(wanted ? [password] : prompts.map(() => ''));
  };
  return { label: 'keyboard-interactive', method: { type: 'keyboard-interactive', username: user, prompt } };
}

/** Keys that are merely tried: a missing or locked one is passed over. Asked for only when nothing else was given. */
async function loadIdentity(
  target: Target,
  file: string,
  inAgent: InAgent,
  notes: string[],
): Promise<LoadedKey | undefined> {
  const { password, privateKey, privateKeyPath } = target.auth;
  try {
    await access(file);
  } catch {
    return undefined;
  }
  try {
    const alone = password === undefined && privateKey === undefined && privateKeyPath === undefined;
    return await loadFile(target, file, inAgent, alone);
  } catch (error) {
    // The person does not want to go on.
    if (exitCodeOf(error) === 130) throw error;
    notes.push(`${file} (${error instanceof Known ? (error.params['reason'] ?? error.message) : 'unusable'})`);
    return undefined;
  }
}

async function selectiveAgent({ auth }: Target, socket: string): Promise<SelectiveAgent> {
  const files = [...(auth.identityFiles ?? []), ...(auth.privateKeyPath === undefined ? [] : [auth.privateKeyPath])];
  return new SelectiveAgent(socket, await publicKeys(files));
}

async function findAgent(target: Target, notes: string[]): Promise<string | undefined> {
  const { agent, ...others } = target.auth;
  if (!agent) return undefined;
  const socket = agent === true ? process.env['SSH_AUTH_SOCK'] : agent;
  const reason = socket ? await whyNoSocket(socket) : 'SSH_AUTH_SOCK is not set';
  if (reason === undefined) return socket;
  const alone = !others.privateKey && !others.privateKeyPath && !others.password && !others.identityFiles?.length;
  if (alone) throw kubexmError('KX3010', { host: target.name, reason }, { host: target.name });
  notes.push(`agent (${reason})`);
  return undefined;
}

async function whyNoSocket(socket: string): Promise<string | undefined> {
  try {
    await access(socket);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
