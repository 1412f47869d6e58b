/*
 * The styles of those components that every page has. In a layer: ours come after them, whatever the order of the files. A page that needs another
 * component imports its styles beside it (`@mantine/core/styles/Modal.layer.css`).
 */
import '@mantine/core/styles/baseline.layer.css';
import '@mantine/core/styles/default-css-variables.layer.css';
import '@mantine/core/styles/global.layer.css';
import '@mantine/core/styles/UnstyledButton.layer.css';
import '@mantine/core/styles/Loader.layer.css';
import '@mantine/core/styles/Button.layer.css';
import '@mantine/core/styles/ActionIcon.layer.css';
