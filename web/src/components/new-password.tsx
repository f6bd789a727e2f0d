import { useId } from 'react';
import { Checklist } from './checklist';
import { PasswordField } from './password-field';
import { PasswordHint } from './password-hint';

/** What `form.field(…)` gives. */
interface Typed {
  name: string;
  value: string;
  onChange: (value: string) => void;
  error: string | null;
}

interface NewPasswordProps {
  password: Typed;
  confirmation: Typed;
  /** The names of the two fields. */
  labels: readonly [string, string];
  /** Fewest characters. */
  minLength: number;
  /** Where kinds of characters do not matter. */
  lengthOnly?: boolean;
  /** What is known of the person and should not stand in the password. */
  personal?: readonly string[];
  /** For forms whose summary says that something is wrong. */
  announceErrors?: boolean;
}

/** A new password, typed twice, with what it needs and how strong it is. */
export function NewPassword(props: NewPasswordProps) {
  const { password, confirmation, labels, personal = [], announceErrors = true } = props;
  const checklist = useId();

  return (
    <>
      <PasswordField
        {...password}
        autoComplete="new-password"
        describedBy={checklist}
        label={labels[0]}
        announceError={announceErrors}
      />
      <PasswordHint password={password.value} personal={personal} />
      <PasswordField
        {...confirmation}
        autoComplete="new-password"
        label={labels[1]}
        announceError={announceErrors}
      />
      <Checklist
        confirmation={confirmation.value}
        id={checklist}
        lengthOnly={props.lengthOnly}
        password={password.value}
        minLength={props.minLength}
      />
    </>
  );
}
