import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.apache.maven.AbstractMavenLifecycleParticipant;
import org.apache.maven.MavenExecutionException;
import org.apache.maven.execution.MavenSession;
import org.apache.maven.project.MavenProject;
import org.eclipse.aether.RepositorySystem;
import org.eclipse.aether.artifact.DefaultArtifact;
import org.eclipse.aether.resolution.ArtifactRequest;
import org.eclipse.aether.resolution.ArtifactResolutionException;

/**
 * Lets Maven fetch the jars listed in the file of the property "jars" into the folder of the property "out". Only
 * pinned jars are copied. No plugin is needed, so none has to be pinned. Dependencies of the jars are not fetched.
 */
public final class Fetch extends AbstractMavenLifecycleParticipant {
    private RepositorySystem system; // set by Maven (components.xml)

    @Override
    public void afterProjectsRead(MavenSession session) throws MavenExecutionException {
        MavenProject project = session.getTopLevelProject();
        Path jars = Path.of(session.getUserProperties().getProperty("jars"));
        Path out = Path.of(session.getUserProperties().getProperty("out"));
        try {
            for (String line : Files.readAllLines(jars)) {
                String[] pin = line.split(" "); // group:artifact, version, SHA-256
                var wanted = new DefaultArtifact(pin[0] + ":" + pin[1]);
                var request = new ArtifactRequest(wanted, project.getRemoteProjectRepositories(), null);
                var found = system.resolveArtifact(session.getRepositorySession(), request).getArtifact().getFile();
                byte[] jar = Files.readAllBytes(found.toPath());
                if (!HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(jar)).equals(pin[2])) {
                    throw new MavenExecutionException(wanted + " is not the pinned jar: its checksum differs", project.getFile());
                }
                Files.write(out.resolve(found.getName()), jar);
            }
        } catch (ArtifactResolutionException | IOException | NoSuchAlgorithmException error) {
            throw new MavenExecutionException(error.toString(), error);
        }
    }
}
