package lab;

import java.rmi.Remote;
import java.rmi.RemoteException;
import java.util.Map;

/** {@link EchoService} as RMI wants it: every method may fail on the way. */
public interface RemoteEchoService extends Remote {
    String echo(String text) throws RemoteException;

    Person echoPerson(Person person) throws RemoteException;

    Map<String, Person> echoMap(Map<String, Person> persons) throws RemoteException;

    String random(String text) throws RemoteException;
}
