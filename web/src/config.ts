import { createContext, use } from 'react';
import type { Config } from './api/config';

const ConfigContext = createContext<Config | null>(null);

export const ConfigProvider = ConfigContext.Provider;

/** The configuration for the screens: the region of this host, and the limits that the screens need. */
export function useConfig(): Config {
  const config = use(ConfigContext);
  if (!config) throw new Error('useConfig is called outside of ConfigProvider');
  return config;
}
