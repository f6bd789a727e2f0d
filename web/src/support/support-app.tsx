import { Router } from 'wouter';
import { Announcer } from '../components/announcer';
import styles from './support.module.css';
import { SupportScreen } from './support-screen';

/** The whole page. Its links lead to the public pages, which are another build, by a full page load. */
export function SupportApp() {
  return (
    <Router aroundNav={(_, to) => location.assign(`/account${to}`)} base="/account">
      <Announcer />
      <main className={styles.main}>
        <SupportScreen />
      </main>
    </Router>
  );
}
