import type { ServerResponse } from 'node:http';
import { type HttpServer, listen } from './http-server.ts';

/** The behaviour of the fake service: respond, respond late, or never respond. */
export type Behaviour = (response: ServerResponse, path: string) => void;

/** An external service, for example the provider of header and footer, as a real HTTP server. */
export interface Service extends HttpServer {
  /** The requested paths since the last call. */
  takeRequests(): string[];
  /** Sets the behaviour for the following requests. */
  setBehaviour(behaviour: Behaviour): void;
}

export async function startService(behaviour: Behaviour): Promise<Service> {
  let current = behaviour;
  let requests: string[] = [];
  const server = await listen((request, response) => {
    const path = request.url ?? '';
    requests.push(path);
    response.on('error', () => undefined); // The client may close early.
    current(response, path);
  });
  return {
    ...server,
    takeRequests() {
      const taken = requests;
      requests = [];
      return taken;
    },
    setBehaviour(behaviour) {
      current = behaviour;
    },
  };
}

export const shows =
  (body: (path: string) => string, kind = 'text/html; charset=utf-8'): Behaviour =>
  (response, path) => {
    response.setHeader('content-type', kind);
    response.end(body(path));
  };

export const hangs: Behaviour = () => undefined;
